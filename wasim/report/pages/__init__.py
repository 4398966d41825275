"""Pages: one self-contained HTML file per run, its table for the terminal, and the answer that both begin with."""
