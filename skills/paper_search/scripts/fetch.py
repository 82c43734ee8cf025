"""One HTTP request, tried again when the server is busy."""

from __future__ import annotations

import email.utils
import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from urllib.parse import urlencode

MAX_BYTES = 32 << 20
MAX_WAIT = 120  # times the unit, whatever the server asks for
AGENT = "paper-search/1 (python-urllib)"


class SourceError(Exception):
    """Why a source gave no answer, in one line for a person."""


class Client:
    """Fetches from one source under the time limits of the settings."""

    def __init__(self, settings, sleep=time.sleep):
        self.settings = settings
        self.sleep = sleep
        self.opener = opener(settings["connect_seconds"], settings["idle_seconds"])

    def pause(self, units):
        """Waits for some units of time, which the environment may shorten to nothing."""
        if units * self.settings["wait_seconds"] > 0:
            self.sleep(units * self.settings["wait_seconds"])

    def get_json(self, url, params, headers=None, body=None):
        raw = self.get(url, params, headers, body)
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise SourceError("the answer is not JSON: %s" % excerpt(raw)) from None

    def get(self, url, params, headers=None, body=None):
        """The body of the answer. A body to send makes it a POST of JSON; headers stay behind when redirected."""
        if params:
            url += ("&" if "?" in url else "?") + urlencode(params)
        attempts = self.settings["attempts"]
        for attempt in range(1, attempts + 1):
            try:
                return self.once(url, headers, body)
            except urllib.error.HTTPError as e:
                with e:
                    if e.code != 429 and e.code < 500:
                        raise SourceError("HTTP %d: %s" % (e.code, excerpt(read_some(e)) or e.reason)) from None
                    reason, wait = "HTTP %d" % e.code, retry_after(e.headers.get("Retry-After"))
            except (OSError, http.client.HTTPException) as e:
                reason, wait = network_reason(e), None
                if not cut_off(e):
                    raise SourceError(reason) from None
            if attempt < attempts:
                self.pause(min(MAX_WAIT, 2 ** (attempt - 1) if wait is None else wait))
        raise SourceError("%s (%d attempts)" % (reason, attempts))

    def once(self, url, headers, body):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers={"User-Agent": AGENT, "Accept": "*/*"})
        if data is not None:
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            request.add_unredirected_header(name, value)
        with self.opener.open(request, timeout=self.settings["connect_seconds"]) as answer:
            raw = answer.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise SourceError("the answer is larger than %d MiB" % (MAX_BYTES >> 20))
        return raw


def opener(connect, idle):
    """Opens http and https, through the usual proxies, with one limit for connecting and one for silence after it."""

    class Plain(http.client.HTTPConnection):
        def connect(self):
            super().connect()
            self.sock.settimeout(idle)

    class Secure(http.client.HTTPSConnection):
        def connect(self):
            super().connect()
            self.sock.settimeout(idle)

    class PlainHandler(urllib.request.HTTPHandler):
        def http_open(self, request):
            return self.do_open(Plain, request)

    class SecureHandler(urllib.request.HTTPSHandler):
        def https_open(self, request):
            return self.do_open(Secure, request)

    director = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        PlainHandler(),
        SecureHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        director.add_handler(handler)
    return director


def retry_after(text):
    """Seconds that a server asks to wait, given as a number or as a date; None if it does not ask."""
    if not text:
        return None
    if text.strip().isdigit():
        return int(text.strip()[:6])
    try:
        when = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return max(0, (when - datetime.now(timezone.utc)).total_seconds())


def cut_off(e):
    """Whether a connection that stood broke: that is worth another try, a place that cannot be reached is not."""
    return isinstance(getattr(e, "reason", e), (http.client.HTTPException, ConnectionResetError, BrokenPipeError))


def network_reason(e):
    reason = getattr(e, "reason", e)
    if isinstance(reason, (TimeoutError, socket.timeout)):  # one and the same since 3.10
        return "no answer in time"
    return "%s: %s" % (type(reason).__name__, reason) if str(reason) else type(reason).__name__


def read_some(answer):
    try:
        return answer.read(2000)
    except (OSError, http.client.HTTPException):
        return b""


def excerpt(raw):
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    return " ".join(text.split())[:200]
