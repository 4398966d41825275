"""Posts a comment under a pull request, in place of the one with the same hidden marker; Python's own library alone."""

import json
import os
import sys
import urllib.request
from itertools import count
from pathlib import Path
from typing import Any

PAGE = 100


def main(path: Path) -> None:
    """Posts the file; which repository, pull request and token are in the environment, as GitHub sets it."""
    body = path.read_text(encoding="utf-8")
    marker = body.splitlines()[0]
    if not marker.startswith("<!--"):
        sys.exit(f"{path}: begins with no hidden marker, so it is no comment of wasim diff's.")
    repository, number = os.environ["GITHUB_REPOSITORY"], os.environ["PULL_REQUEST"]
    comments = f"repos/{repository}/issues/{number}/comments"
    earlier = _find(comments, marker)
    if earlier is None:
        _call("POST", comments, {"body": body})
    else:
        _call("PATCH", f"repos/{repository}/issues/comments/{earlier}", {"body": body})


def _find(comments: str, marker: str) -> int | None:
    for page in count(1):
        found = _call("GET", f"{comments}?per_page={PAGE}&page={page}")
        ours = next((int(one["id"]) for one in found if one["body"].startswith(marker)), None)
        if ours is not None or len(found) < PAGE:
            return ours
    return None


def _call(method: str, path: str, document: dict[str, str] | None = None) -> Any:  # noqa: ANN401 - as the API answers
    request = urllib.request.Request(  # noqa: S310 - GitHub's address, from its own environment
        f"{os.environ['GITHUB_API_URL']}/{path}",
        data=None if document is None else json.dumps(document).encode(),
        method=method,
        headers={"Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}", "Accept": "application/vnd.github+json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
