"""`wasim report`: a saved run concluded again."""

from wasim.cli.formats import Format, FormatOption, Link, chosen_format
from wasim.cli.options import AsJson, PriceFile, RunName


def report(
    run: RunName,
    form: FormatOption = Format.TABLE,
    link: Link = "",
    as_json: AsJson = False,
    prices: PriceFile = None,
) -> None:
    """Rebuild the report of a saved run; nothing is measured."""
    from wasim.cli.outcome import print_outcome
    from wasim.runner import conclude_run
    from wasim.runs import find_run

    print_outcome(conclude_run(find_run(run), prices), chosen_format(form, as_json=as_json), link)
