"""What a run leaves for people: charts, pages, and the terminal's tables."""
