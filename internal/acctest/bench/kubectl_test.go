package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
)

// kubectlSample is the maximum number of members to measure kubectl on. For more members, the time is extrapolated.
const kubectlSample = 10

// kubectl is the path of kubectl, built from its module for the first benchmark that needs it.
var kubectl = sync.OnceValues(func() (string, error) {
	return cli.Build(context.Background(), cli.KubectlName, os.Stderr)
})

// command is kubectl diff, or another verb, for one placement.
type command struct {
	verb []string

	program, kubeconfig, manifests, cache string
	mu                                    sync.Mutex
	peak                                  uint64 // bytes, of the largest process
}

func newCommand(b *testing.B, f *fleet, texts map[string]string, verb ...string) *command {
	b.Helper()
	program, err := kubectl()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	d := &command{verb: verb, program: program, kubeconfig: f.Kubeconfig, manifests: filepath.Join(dir, "manifests.yaml"), cache: filepath.Join(dir, "cache")}
	var all strings.Builder
	for _, key := range sorted(texts) {
		all.WriteString("---\n" + texts[key] + "\n")
	}
	if err := os.WriteFile(d.manifests, []byte(all.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	return d
}

// run runs one process for each member, with as many in parallel as there are processors. The discovery cache is kept between turns, which favors kubectl: a
// preview has none.
func (d *command) run(ctx context.Context, members []string) error {
	return concurrently(runtime.NumCPU(), members, func(name string) error {
		_, err := d.member(ctx, name)
		return err
	})
}

func (d *command) member(ctx context.Context, name string, flags ...string) (string, error) {
	args := slices.Concat(d.verb, []string{"--context=" + name, "--cache-dir=" + d.cache, "-f", d.manifests}, flags)
	command := exec.CommandContext(ctx, d.program, args...)
	// Count only the cost of kubectl itself, not of the diff program, which runs once for all objects.
	command.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig, "KUBECTL_EXTERNAL_DIFF=true")
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		return "", err
	}
	ended := make(chan struct{})
	go d.watch(command.Process.Pid, ended)
	err := command.Wait()
	close(ended)
	if err != nil {
		return "", fmt.Errorf("kubectl %s on %s: %w: %.500s", d.verb[0], name, err, out.String())
	}
	return out.String(), nil
}

// watch samples the memory of a process until it ends. The resource usage that the system reports afterwards includes the memory of the forking process.
// Without /proc it samples nothing.
func (d *command) watch(pid int, ended <-chan struct{}) {
	for {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return
		}
		var most uint64
		if _, rest, found := strings.Cut(string(status), "VmHWM:"); found {
			_, _ = fmt.Sscanf(rest, "%d kB", &most)
		}
		d.mu.Lock()
		d.peak = max(d.peak, most<<10)
		d.mu.Unlock()
	}
}

var requestLine = regexp.MustCompile(`(?m)verb="?(GET|POST|PATCH|PUT)"?|(?:GET|POST|PATCH|PUT) https://`)

// requests returns the number of requests for one member, counted in the log of another run.
func (d *command) requests(ctx context.Context, member string) (int64, error) {
	out, err := d.member(ctx, member, "-v=6")
	return int64(len(requestLine.FindAllString(out, -1))), err
}

// benchmarkKubectl measures kubectl on all members or a sample of them.
func benchmarkKubectl(b *testing.B, f *fleet, what string, texts map[string]string) {
	d := newCommand(b, f, texts, "diff", "--server-side")
	members := f.Members
	note := fmt.Sprintf("%d parallel processes", runtime.NumCPU())
	if len(members) > kubectlSample {
		members = members[:kubectlSample]
		note += fmt.Sprintf(", time of %d members scaled", kubectlSample)
	}
	note += "; memory of one process"
	var wall time.Duration
	turns := 0
	for b.Loop() {
		begin := time.Now()
		if err := d.run(b.Context(), members); err != nil {
			b.Fatal(err)
		}
		wall += time.Since(begin)
		turns++
	}
	b.StopTimer()
	requests, err := d.requests(b.Context(), members[0])
	if err != nil {
		b.Fatal(err)
	}
	all := wall / time.Duration(turns) * time.Duration(len(f.Members)) / time.Duration(len(members))
	rows.add(row{
		members: len(f.Members), what: what, note: note, wall: all, peak: d.peak,
		requests: requests * int64(len(f.Members)), received: -1, sent: -1, dials: -1,
	})
	b.ReportMetric(float64(all.Nanoseconds())/float64(len(f.Members)), "ns/cluster")
	b.ReportMetric(float64(requests), "requests/cluster")
}
