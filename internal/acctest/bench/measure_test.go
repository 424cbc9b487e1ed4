package bench_test

import (
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// row is one line of the table: the cost of one run.
type row struct {
	members int
	what    string
	wall    time.Duration
	// requests, received and sent (bytes), and dials are sums over all clusters, negative if they were not counted.
	requests, received, sent, dials int64
	// peak is the maximum memory, in bytes, that the process had obtained from the system and not returned.
	peak uint64
	note string
}

// traffic is the traffic to clusters.
type traffic struct{ requests, received, sent, dials int64 }

func (t traffic) minus(o traffic) traffic {
	return traffic{t.requests - o.requests, t.received - o.received, t.sent - o.sent, t.dials - o.dials}
}

func (t traffic) plus(o traffic) traffic {
	return traffic{t.requests + o.requests, t.received + o.received, t.sent + o.sent, t.dials + o.dials}
}

// table collects rows. A repeated benchmark replaces its row.
type table struct {
	mu   sync.Mutex
	list []row
}

var rows table

func (t *table) add(r row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, known := range t.list {
		if known.members == r.members && known.what == r.what {
			t.list[i] = r
			return
		}
	}
	t.list = append(t.list, r)
}

func (t *table) table() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.list) == 0 {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\nPreviews and applies of %d objects on each member. Requests, bytes and dials are per cluster, on average.\n\n", objectsPerMember)
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "members\twall s\trequests\tKiB in\tKiB out\tdials\tpeak MiB\t  what")
	for i, r := range t.list {
		if i > 0 && r.members != t.list[i-1].members {
			fmt.Fprintln(w, "\t\t\t\t\t\t\t")
		}
		each := func(value int64, unit float64) string {
			if value < 0 {
				return "-"
			}
			return fmt.Sprintf("%.1f", float64(value)/unit/float64(r.members))
		}
		peak := "-"
		if r.peak > 0 {
			peak = fmt.Sprintf("%.0f", float64(r.peak)/(1<<20))
		}
		what := r.what
		if r.note != "" {
			what += " (" + r.note + ")"
		}
		fmt.Fprintf(w, "%d\t%.2f\t%s\t%s\t%s\t%s\t%s\t  %s\n", r.members, r.wall.Seconds(), each(r.requests, 1),
			each(r.received, 1024), each(r.sent, 1024), each(r.dials, 1), peak, what)
	}
	_ = w.Flush()
	return text.String() + "\n"
}

// measure runs work as a benchmark and adds a row with the means. prepare, which may be nil, runs before each turn and is not measured.
func measure(b *testing.B, members int, what, note string, prepare func(), count func() traffic, work func()) {
	b.Helper()
	var total traffic
	var wall time.Duration
	var peak uint64
	turns := 0
	for b.Loop() {
		b.StopTimer()
		if prepare != nil {
			prepare()
		}
		debug.FreeOSMemory()
		before := count()
		watch := watchMemory()
		begin := time.Now()
		b.StartTimer()
		work()
		b.StopTimer()
		wall += time.Since(begin)
		peak = max(peak, watch())
		total = total.plus(count().minus(before))
		turns++
		b.StartTimer()
	}
	n := int64(turns)
	r := row{
		members: members, what: what, note: note, wall: wall / time.Duration(n), peak: peak,
		requests: total.requests / n, received: total.received / n, sent: total.sent / n, dials: total.dials / n,
	}
	rows.add(r)
	per := float64(members)
	b.ReportMetric(float64(r.requests)/per, "requests/cluster")
	b.ReportMetric(float64(r.received)/per, "B-in/cluster")
	b.ReportMetric(float64(r.sent)/per, "B-out/cluster")
	b.ReportMetric(float64(r.dials)/per, "dials/cluster")
	b.ReportMetric(float64(r.peak)/(1<<20), "peak-MiB")
}

// watchMemory samples the memory of the process until stop is called. stop returns the maximum.
func watchMemory() (stop func() uint64) {
	end, ended := make(chan struct{}), make(chan uint64)
	go func() {
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		most := memory()
		for {
			select {
			case <-ticker.C:
				most = max(most, memory())
			case <-end:
				ended <- max(most, memory())
				return
			}
		}
	}()
	return func() uint64 {
		close(end)
		return <-ended
	}
}

// memory returns the memory that the process has from the system, in bytes, without its program text.
func memory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
