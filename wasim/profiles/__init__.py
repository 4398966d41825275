"""Writer profiles that come with wasim, as JSON, which `wasim.twin.profile` reads; and the signs of each `writers`."""
