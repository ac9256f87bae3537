"""Tests of the page in a real browser. They share one process, for one browser and one server."""

import pytest

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("browser")]
