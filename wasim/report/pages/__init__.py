"""Pages: one self-contained HTML file per run, its table for the terminal, and the answer that both begin with.

`run_page` renders the HTML and is imported by name: it brings matplotlib, which a table does without.
"""

from wasim.report.pages.terminal import (
    comparison_comment,
    comparison_notes,
    comparison_table,
    render_answer,
    render_bill,
    render_comparison,
    render_headline_table,
)
