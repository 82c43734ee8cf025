package server

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
)

// figures are what the server counts.
type figures struct {
	began   time.Time
	version string
	streams atomic.Int64 // open
	held    atomic.Int64 // bytes of bodies
	flight  atomic.Int64

	mu    sync.Mutex
	asked map[asked]*timing
}

// asked is a kind of request. Its parts come from the table of routes and from us, never from a client.
type asked struct {
	method, path string
	status       int
}

// timing is how long the requests of a kind took.
type timing struct {
	seconds float64
	within  [10]int64 // by bound
	all     int64
}

// bounds are those of the histogram, in seconds.
func bounds() [10]float64 { return [...]float64{.001, .005, .01, .05, .1, .5, 1, 5, 30, 120} }

// counted counts a request, and logs it where everything is logged.
func (s *Server) counted(c *gin.Context) {
	began := time.Now()
	s.figures.flight.Add(1)
	defer func() {
		s.figures.flight.Add(-1)
		took := time.Since(began)
		k := asked{method: c.Request.Method, path: cmp.Or(c.FullPath(), "other"), status: c.Writer.Status()}
		if !slices.Contains(s.methods(), k.method) {
			k.method = "other"
		}
		s.figures.add(k, took.Seconds())
		s.o.Logger.Debug("request", "method", k.method, "path", c.Request.URL.Path, "status", k.status, "took", took)
	}()
	c.Next()
}

func (f *figures) add(k asked, seconds float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.asked == nil {
		f.asked = map[asked]*timing{}
	}
	t := f.asked[k]
	if t == nil {
		t = &timing{}
		f.asked[k] = t
	}
	t.seconds, t.all = t.seconds+seconds, t.all+1
	for i, most := range bounds() {
		if seconds <= most {
			t.within[i]++
		}
	}
}

// metrics gives the figures in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	working := 0
	if s.o.Load != nil {
		working, _ = s.o.Load("")
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	one := func(name, kind, help string, labels string, value any) {
		_, _ = fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n%s%s %v\n", name, help, name, kind, name, labels, value)
	}
	one("react_agent_build_info", "gauge", "The program.", fmt.Sprintf("{version=%q,go=%q}", s.figures.version, runtime.Version()), 1)
	one("react_agent_sessions_working", "gauge", "Sessions at work.", "", working)
	one("react_agent_streams_open", "gauge", "Event streams that are open.", "", s.figures.streams.Load())
	one("react_agent_requests_in_flight", "gauge", "Requests that are being answered, streams included.", "", s.figures.flight.Load())
	one("react_agent_body_bytes", "gauge", "Bytes of request bodies in memory.", "", s.figures.held.Load())
	one("react_agent_stopping", "gauge", "1 while the server stops.", "", map[bool]int{true: 1}[s.stopping.Load()])
	one("process_start_time_seconds", "gauge", "When the server began, in seconds since 1970.", "", s.figures.began.Unix())
	one("go_goroutines", "gauge", "Goroutines.", "", runtime.NumGoroutine())
	one("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap in use.", "", mem.HeapAlloc)
	one("go_memstats_sys_bytes", "gauge", "Bytes taken from the system.", "", mem.Sys)
	one("go_gc_cycles_total", "counter", "Collections of garbage.", "", mem.NumGC)
	s.figures.write(&b)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client is gone if this fails
}

// write writes the requests by kind.
func (f *figures) write(b *bytes.Buffer) {
	const name = "react_agent_http_request_seconds"
	_, _ = fmt.Fprintf(b, "# HELP %s How long requests took, streams included.\n# TYPE %s histogram\n", name, name)
	f.mu.Lock()
	defer f.mu.Unlock()
	kinds := slices.SortedFunc(maps.Keys(f.asked), func(x, y asked) int {
		return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.method, y.method), x.status-y.status)
	})
	for _, k := range kinds {
		t := f.asked[k]
		labels := fmt.Sprintf("method=%q,path=%q,status=\"%d\"", k.method, k.path, k.status)
		for i, most := range bounds() {
			_, _ = fmt.Fprintf(b, "%s_bucket{%s,le=%q} %d\n", name, labels, strconv.FormatFloat(most, 'g', -1, 64), t.within[i])
		}
		_, _ = fmt.Fprintf(b, "%s_bucket{%s,le=\"+Inf\"} %d\n%s_sum{%s} %g\n%s_count{%s} %d\n", name, labels, t.all, name, labels, t.seconds, name, labels, t.all)
	}
}
