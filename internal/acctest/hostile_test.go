package acctest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

const (
	// providerMemory is the maximum memory, in bytes, that a plan may use whatever a member sends. It is less than the text of the longest list that the provider
	// reads, and four times what it keeps of a list: on a busy machine, the garbage collector starts late.
	providerMemory = 450 << 20
	hostileMember  = "member-3"
	// listHead is the start of a page of a list of ConfigMaps, with a continue token.
	listHead = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":%q},"items":[`
)

// hostileAnswers returns the responses that a member sends instead of its records.
func hostileAnswers() map[string]http.HandlerFunc {
	var pages atomic.Int64
	megabyte := `{"metadata":{"name":"a","labels":{}},"data":{"a":"` + strings.Repeat("x", 1<<20) + `"}}`
	return map[string]http.HandlerFunc{
		"a hundred megabytes": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, "")+megabyte)
			for range 99 {
				_, _ = io.WriteString(w, ","+megabyte)
			}
			_, _ = io.WriteString(w, "]}")
		},
		"an endless body": func(w http.ResponseWriter, _ *http.Request) {
			writeEndless(w, fmt.Sprintf(listHead, ""), `{"metadata":{"name":"a"}},`)
		},
		"an endless text": func(w http.ResponseWriter, _ *http.Request) {
			writeEndless(w, fmt.Sprintf(listHead, "")+`{"metadata":{"name":"`, "x")
		},
		"a bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			writeEndless(gzip.NewWriter(w), fmt.Sprintf(listHead, ""), strings.Repeat(" ", 1<<20))
		},
		"endless pages": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, fmt.Sprint(pages.Add(1)))+megabyte+"]}")
		},
		"endless pages of many values": func(w http.ResponseWriter, _ *http.Request) {
			item := fmt.Sprintf(`{"metadata":{"name":"a"},"data":{%s"z":""}}`, strings.Repeat(`"a":"",`, 1000))
			_, _ = io.WriteString(w, fmt.Sprintf(listHead, fmt.Sprint(pages.Add(1)))+strings.Repeat(item+",", 100)+item+"]}")
		},
		"a byte a second": func(w http.ResponseWriter, r *http.Request) {
			for _, c := range []byte(fmt.Sprintf(listHead, "") + strings.Repeat(" ", 1<<20)) {
				if _, err := w.Write([]byte{c}); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					return
				}
			}
		},
	}
}

// writeEndless writes until the reader closes the connection.
func writeEndless(w io.Writer, head, piece string) {
	_, err := io.WriteString(w, head)
	for block := strings.Repeat(piece, 1+(64<<10)/len(piece)); err == nil; {
		_, err = io.WriteString(w, block)
	}
}

// A member that sends hostile responses, or whose credential plugin never returns, counts as unchecked: the plan ends, includes the other members, and stays
// within the memory limit.
func TestHostileMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	binary := fleet.Newest(t)
	w := fleet.Open(t, binary, "", fleet.ManyConfigMaps(fleet.Env.Kubeconfig, "hostile", 2))
	fleet.DestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	state := documents.Read(t, filepath.Join(w.Dir, "terraform.tfstate"))

	plan := func(t *testing.T, kubeconfig, reached, otherwise string) {
		t.Helper()
		config := strings.ReplaceAll(fleet.ManyConfigMaps(kubeconfig, "hostile", 2), "data: {number: \\\"1\\\"}", "data: {number: \\\"changed\\\"}")
		w := fleet.Open(t, binary, "", strings.Replace(config, reached, otherwise, 1))
		if err := os.WriteFile(filepath.Join(w.Dir, "terraform.tfstate"), []byte(state), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		command := w.Command(t.Context(), "plan", "-no-color")
		command.Stdout, command.Stderr = &out, &out
		begin := time.Now()
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		highest := watchProvider(t, command.Process.Pid)
		err := command.Wait()
		used := highest()
		t.Logf("%s, %d MiB", time.Since(begin).Round(time.Second), used>>20)
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if used > providerMemory {
			t.Errorf("the provider used %d MiB", used>>20)
		}
		contains(t, out.String(), "1 cluster NOT CHECKED", hostileMember+": NOT CHECKED", "2 to update on member-1 and member-2")
	}
	t.Run("plans", func(t *testing.T) {
		for name, answer := range hostileAnswers() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				recorder := fleet.Record(t)
				recorder.Inject(clusters.Fault{
					Context: hostileMember,
					Match: func(r clusters.Request) bool {
						return r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/namespaces/fleet-system/configmaps")
					},
					Answer: func(w http.ResponseWriter, r *http.Request) {
						w.Header().Set("Content-Type", "application/json")
						answer(w, r)
					},
				})
				plan(t, recorder.Kubeconfig(), "", "")
			})
		}
		t.Run("a credential plugin that hangs", func(t *testing.T) {
			t.Parallel()
			plan(t, fleet.Env.Kubeconfig, fmt.Sprintf("config_path = %q, config_context = %q", fleet.Env.Kubeconfig, hostileMember),
				`host = "https://127.0.0.1:1", exec = { api_version = "client.authentication.k8s.io/v1", command = "sleep", args = ["3600"] }`)
		})
	})
}

// watchProvider returns a function that reports the peak memory, in bytes, of a Terraform process's providers since the call.
func watchProvider(t *testing.T, terraform int) func() uint64 {
	t.Helper()
	highest := uint64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		provider := 0
		for {
			if peak := peakMemory(provider); peak > 0 {
				highest = max(highest, peak)
			} else {
				provider = harness.ChildOf(terraform, "terraform-provider-fleet")
			}
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		if highest == 0 {
			t.Error("found no provider process")
		}
		return highest
	}
}

// peakMemory returns a process's peak memory in bytes, 0 if the process does not exist.
func peakMemory(pid int) uint64 {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib uint64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0
	}
	return kib << 10
}
