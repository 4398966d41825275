"""Writer profiles that come with wasim, as JSON; `wasim.simulate.profile` reads them."""
