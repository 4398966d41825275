"""Writer profiles that come with wasim, as JSON; `wasim.twin.profile` reads them."""
