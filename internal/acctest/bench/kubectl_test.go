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

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// kubectlSample is the most members that kubectl is measured on; for more, the time is scaled.
const kubectlSample = 10

// kubectl is the program, built from its module when the first benchmark asks for it.
var kubectl = sync.OnceValues(func() (string, error) {
	return gobuild.Build(context.Background(), gobuild.Target{
		Name: "kubectl", ModuleDir: "internal/tools/kubectl", Package: ".", LDFlags: "-s -w",
	}, os.Stderr)
})

// command is kubectl diff, or another of its verbs, of one placement.
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

// run works on members, one process for each and as many at once as there are processors. The discovery cache, which a preview has
// none of, is kept from turn to turn, which is in favour of kubectl.
func (d *command) run(ctx context.Context, members []string) error {
	return concurrently(runtime.NumCPU(), members, func(name string) error {
		_, err := d.member(ctx, name)
		return err
	})
}

func (d *command) member(ctx context.Context, name string, flags ...string) (string, error) {
	args := slices.Concat(d.verb, []string{"--context=" + name, "--cache-dir=" + d.cache, "-f", d.manifests}, flags)
	command := exec.CommandContext(ctx, d.program, args...)
	// Only what kubectl itself costs counts, not the diff program, which is run once for all objects.
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

// watch notes the memory of a process until it has ended. What the system tells of it afterwards begins with the memory of this process,
// of which it is a child. Where there is no /proc nothing is noted.
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

// requests counts those of one member, from the log of one more run.
func (d *command) requests(ctx context.Context, member string) (int64, error) {
	out, err := d.member(ctx, member, "-v=6")
	return int64(len(requestLine.FindAllString(out, -1))), err
}

// benchmarkKubectl measures kubectl on all members or a sample of them.
func benchmarkKubectl(b *testing.B, f *fleet, what string, texts map[string]string) {
	d := newCommand(b, f, texts, "diff", "--server-side")
	members := f.Members
	note := fmt.Sprintf("%d processes at once", runtime.NumCPU())
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
