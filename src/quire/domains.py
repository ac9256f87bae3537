"""Ready-made pipelines: forms, drawings, and documents whose fields are not known yet."""

from quire.pipelines.domains import discover as discover
from quire.pipelines.domains import drawings as drawings
from quire.pipelines.domains import forms as forms
