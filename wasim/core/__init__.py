"""Engine `core`: Iceberg's Java library alone, with real metadata for files that are described but not written.

`described` says what each commit of a case would hold, as JSON; `appender` hands it to the
library through Spark's gateway.
"""

from wasim.core.appender import CORE, check_describable
from wasim.core.described import DescribedData
