"""Changes judged before they are merged: what two scenarios, or two versions of a table's settings, cost.

`sides` finds the two versions, in files or in git; `read` says what each sets, `sql` and `configuration` by format;
`projection` is the one place that asks what a setting comes to; `difference` is what changed and by how much; `words`
renders it for a terminal, as JSON and as a comment.
"""
