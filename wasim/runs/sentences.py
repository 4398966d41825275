"""What simulating ignored or replaced by its mean, said once for many cases, settings or tables."""

from collections.abc import Iterable, Iterator

MOST_NAMED = 4


def say_once(approximated: Iterable[tuple[str, Iterable[str]]], many: str = "cases") -> Iterator[str]:
    """Each sentence once, with whom it is about where those are not all: by name, or of very many (`many`) how many.

    `approximated` are names, each with its sentences.
    """
    about: dict[str, list[str]] = {}
    count = 0
    for name, sentences in approximated:
        count += 1
        for sentence in dict.fromkeys(sentences):
            about.setdefault(sentence, []).append(name)
    for sentence, names in about.items():
        if len(names) == count:
            yield sentence
        else:
            whom = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(names):,} of {count:,} {many}"
            yield f"{sentence} ({whom})"
