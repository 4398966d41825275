"""What a history in sums passes over, or takes as if it had always been so: said in every answer."""

from collections.abc import Iterator

from wasim.scenario import Case
from wasim.scenario.change_checks import wanted
from wasim.twin import WriterProfile
from wasim.twin.supported import is_cut_by_sample, is_simulated, of_recipe, unsimulated_settings

_NO_SHAPE = ("create_tag", "create_branch", "rollback_commits")


def passed_over(case: Case, profile: WriterProfile) -> tuple[str, ...]:
    """What of the case the sums do not carry out, in plain sentences; nothing where they carry out all of it."""
    return tuple(dict.fromkeys(_sentences(case, profile)))


def _sentences(case: Case, profile: WriterProfile) -> Iterator[str]:
    for name in (wanted(one)[0] for one in case.evolution):
        if name in _NO_SHAPE:
            yield f"Not simulated: evolution's {name}."
        else:
            yield (
                "The table is taken to have been from the beginning as its evolution leaves it;"
                " bands are of that table."
            )
    yield from of_recipe(case, profile)
    for key, value in ((key, value) for given in case.all_properties for key, value in given.items()):
        if not is_simulated(key, value, profile):
            yield f'Not simulated: table.properties.{key}, which is "{value}".'
    if is_cut_by_sample(case):
        yield "Not simulated: workload.distribution_mode range of a partitioned table."
    for name in unsimulated_settings(case):
        yield f"Not simulated: {name}."
