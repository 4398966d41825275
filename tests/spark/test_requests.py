"""Requests counted by commit, and what they cost."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.synthetic import synthetic_report, synthetic_run

from wasim.collect.journal import RequestTally
from wasim.ledger import RequestKind, Requests, request_kind
from wasim.report.answer import answer_run
from wasim.report.pages.cells import bill_table
from wasim.runs import Run, bill_case, summary_document
from wasim.scenario.prices import load_prices


def lines(*words: str | tuple[int, int]) -> list[dict[str, Any]]:
    """A journal: marks, requests by their names, and steps as (number, milliseconds between their commits)."""
    marks = {"commit", "done", "resume"}
    return [
        {"do": "step", "step": word[0], "every_ms": word[1]}
        if isinstance(word, tuple)
        else {"do": word}
        if word in marks
        else {"do": "request", "request": word}
        for word in words
    ]


def test_a_request_belongs_to_the_commit_that_is_reported_next() -> None:
    journal = lines(
        *((0, 0), "HeadObject", "PutObject"),  # CREATE TABLE
        *((1, 1000), "PutObject", "PutObject", "GetObject", "commit"),
        *("PutObject", "commit"),  # a stream's second commit is a step of its own, without a mark
        *("GetObject", "GetObject", "resume"),  # a probe
        *("PutObject", "commit", "HeadObject"),
        *((4, 0), "DeleteObjects", "done", "GetObject"),  # an expiry reports no commit
        *((5, 0), "PutObject", "commit", "DeleteObject", "done"),  # a rewrite cleans up after its commit
        "ListObjectsV2",
    )
    tally = RequestTally()
    for line in journal:
        tally.take(line)
    found = tally.requests()
    rows = list(zip(found.commit, found.step, found.request, found.count, strict=True))
    assert rows == [
        (-1, -1, "GetObject", 3),
        (-1, -1, "HeadObject", 1),
        (-1, -1, "ListObjectsV2", 1),
        (-1, 0, "HeadObject", 1),
        (-1, 0, "PutObject", 1),
        (-1, 4, "DeleteObjects", 1),
        (-1, 5, "DeleteObject", 1),
        (1, 1, "GetObject", 1),
        (1, 1, "PutObject", 2),
        (2, 2, "PutObject", 1),
        (3, 3, "PutObject", 1),
        (4, 5, "PutObject", 1),
    ]
    assert found.of_commits() == {"put": 5, "get": 1, "head": 0, "list": 0, "delete": 0}
    assert found.of_steps() == {"put": 5, "get": 1, "head": 0, "list": 0, "delete": 2}
    assert found.outside() == {"put": 1, "get": 3, "head": 2, "list": 1, "delete": 0}


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ("PutObject", RequestKind.PUT),
        ("CopyObject", RequestKind.PUT),
        ("CreateMultipartUpload", RequestKind.PUT),
        ("UploadPart", RequestKind.PUT),
        ("CompleteMultipartUpload", RequestKind.PUT),
        ("AbortMultipartUpload", RequestKind.DELETE),
        ("GetObject", RequestKind.GET),
        ("HeadObject", RequestKind.HEAD),
        ("ListObjectsV2", RequestKind.LIST),
        ("DeleteObject", RequestKind.DELETE),
        ("DeleteObjects", RequestKind.DELETE),
    ],
)
def test_a_request_is_of_the_kind_it_is_priced_as(request_: str, kind: RequestKind) -> None:
    assert request_kind(request_) == kind


def run_on_s3() -> Run:
    run = synthetic_run()
    case = run.cases[0]
    requests = Requests(
        commit=np.array([-1, 1, 1, 2]),
        step=np.array([-1, 1, 1, 2]),
        kind=np.array(["get", "put", "get", "put"], dtype=object),
        request=np.array(["GetObject", "PutObject", "GetObject", "PutObject"], dtype=object),
        count=np.array([7, 5 * case.commits, 2 * case.commits, 5 * case.commits]),
    )
    return replace(run, cases=(replace(case, requests=requests), *run.cases[1:]))


def test_a_bill_is_requests_by_commit_and_bytes_by_month() -> None:
    run, prices = run_on_s3(), load_prices()
    case = run.cases[0]
    bill = bill_case(case, prices)
    assert bill is not None
    assert bill.requests_per_commit[RequestKind.PUT] == 10
    assert bill.requests_outside[RequestKind.GET] == 7
    assert bill.price_per_commit == pytest.approx((10 * 0.005 + 2 * 0.0004) / 1000)
    commits_per_month = 30 * 86_400 / case.case.commit_interval_s
    assert bill.requests_price_per_month == pytest.approx(bill.price_per_commit * commits_per_month)
    kept = bill.metadata_price_per_month + bill.data_price_per_month
    assert kept == pytest.approx(sum(case.totals.on_disk_bytes.values()) / 2**30 * 0.023)
    assert bill_case(run.cases[1], prices) is None


def test_document_and_page_name_the_prices_and_their_day() -> None:
    run, prices = run_on_s3(), load_prices()
    document = summary_document(run, {}, [], prices)
    assert document["prices"]["as_of"] == prices.as_of
    assert document["cases"][0]["s3"]["requests_per_commit"]["put"] == 10
    assert "s3" not in document["cases"][1]
    table = bill_table(run, answer_run(run, synthetic_report()), prices)
    assert prices.as_of in table.caption
    ((label, *figures),) = table.rows
    assert label == run.cases[0].case.label
    assert table.figures[:2] == ("PUT", "GET")  # kinds that nobody asked for have no column
    assert figures[:3] == ["10.0", "2.00", "0.0508"]
    assert "prices" not in summary_document(synthetic_run(), {}, [], prices)
