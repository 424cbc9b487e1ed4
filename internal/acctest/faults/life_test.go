package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// planted is a value in a Secret of every placement. It must not appear anywhere else.
const planted = "planted-value-that-must-stay-hidden"

// operationTimeout is the duration after which an operation counts as hanging.
const operationTimeout = 4 * time.Minute

// life is one placement from its creation to its end.
type life struct {
	*testing.T
	name     string
	random   *rand.Rand
	recorder *clusters.Recorder
	*workspace.Workspace
	mode, kind string
	picked     []string
	// wanted are the placed objects, by reference, with nil data if their content does not matter.
	wanted map[fixture.Ref]map[string]string
	// everWanted are the objects that have been in wanted at any time.
	everWanted map[fixture.Ref]bool
	// foreign are the objects of other clients, by cluster.
	foreign map[string]map[fixture.Ref]stranger
	// operation is the current operation, and fault its fault.
	operation string
	fault     fault
	// output is Terraform's output for the current operation and its repetitions, and log its whole output.
	output, log bytes.Buffer
	// lost: a record of the placement was deleted or damaged, so that the provider may not know which objects the placement created.
	lost bool
}

// stranger is an object of another client. It must stay, whatever happens to the placement. Its data must stay too, unless the placement may take it over.
type stranger struct {
	uid  string
	data map[string]string
	mine bool // the placement has an object with this name
}

func newLife(t *testing.T, seed uint64) *life {
	t.Helper()
	l := &life{
		T: t, name: fmt.Sprintf("life-%d-%s", seed, strings.ToLower(time.Now().Format("150405"))), random: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // a repeatable test
		picked: slices.Clone(env.Members), wanted: map[fixture.Ref]map[string]string{}, everWanted: map[fixture.Ref]bool{},
		foreign: map[string]map[fixture.Ref]stranger{},
	}
	var err error
	if l.recorder, err = clusters.NewRecorder(env, clusters.RecorderOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.recorder.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the whole life:\n%s", l.log.String())
		}
	})
	l.mode = pick(l.random, "Always", "IfNoDiff", "Never")
	l.kind = pick(l.random, "ClientSideApply", "ServerSideApply")
	for _, cluster := range env.Members {
		l.foreign[cluster] = map[fixture.Ref]stranger{}
		l.put(cluster, fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: l.name + "-others"}, nil)
		l.put(cluster, l.configMap(l.name+"-others", "bystander"), map[string]string{"whose": "somebody's"})
	}
	l.put("member-2", l.configMap(l.name+"-others", "e0"), map[string]string{"number": "0"})
	l.put("member-2", l.configMap(l.name+"-others", "e1"), map[string]string{"number": "theirs", "more": "theirs"})
	l.Workspace = newWorkspace(t, "")
	return l
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func (*life) configMap(namespace, name string) fixture.Ref {
	return fixture.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: name}
}

func (l *life) on(cluster string) *fixture.Client {
	l.Helper()
	client, err := env.Client(cluster)
	if err != nil {
		l.Fatal(err)
	}
	return client
}

// live creates, changes and destroys the placement, and checks the clusters after each operation.
func (l *life) live() {
	for n := range 8 {
		l.want(l.configMap(l.name, fmt.Sprint("c", n)), map[string]string{"number": fmt.Sprint(n), "old": "one"})
	}
	for n := range 3 {
		l.want(l.configMap(l.name+"-others", fmt.Sprint("e", n)), map[string]string{"number": fmt.Sprint(n)})
		l.want(l.configMap(l.name+"-second", fmt.Sprint("s", n)), map[string]string{"number": fmt.Sprint(n)})
	}
	l.want(fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: l.name}, nil)
	l.want(fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: l.name + "-second"}, nil)
	l.want(fixture.Ref{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: l.name}, nil)
	l.want(fixture.Ref{APIVersion: "v1", Kind: "Secret", Namespace: l.name, Name: "secret"}, nil)
	l.operate("create")
	l.change()
	l.operate("change")
	l.operate("destroy")
}

func (l *life) want(ref fixture.Ref, data map[string]string) {
	l.wanted[ref], l.everWanted[ref] = data, true
}

// change changes the placement.
func (l *life) change() {
	for ref := range maps.Clone(l.wanted) {
		switch {
		case strings.HasSuffix(ref.Namespace, "-second"), strings.HasSuffix(ref.Name, "-second"), ref.Name == "c7":
			delete(l.wanted, ref)
		case ref.Name == "c0", ref.Name == "c1":
			l.wanted[ref] = map[string]string{"number": "changed"}
		}
	}
	l.want(l.configMap(l.name, "new"), map[string]string{"number": "new"})
	if l.random.IntN(4) == 0 {
		l.kind = map[string]string{"ClientSideApply": "ServerSideApply", "ServerSideApply": "ClientSideApply"}[l.kind]
	}
	if l.random.IntN(4) == 0 {
		l.picked = []string{"member-1", "member-2"}
	}
}

// configuration returns the placement in HCL.
func (l *life) configuration() string {
	var b strings.Builder
	refs := slices.SortedFunc(maps.Keys(l.wanted), func(a, b fixture.Ref) int { return strings.Compare(a.String(), b.String()) })
	for _, ref := range refs {
		fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %s\nmetadata: {name: %s", ref.APIVersion, ref.Kind, ref.Name)
		if ref.Namespace != "" {
			fmt.Fprintf(&b, ", namespace: %s", ref.Namespace)
		}
		b.WriteString("}\n")
		switch ref.Kind {
		case "ConfigMap":
			b.WriteString("data:\n")
			for _, key := range slices.Sorted(maps.Keys(l.wanted[ref])) {
				fmt.Fprintf(&b, "  %s: %q\n", key, l.wanted[ref][key])
			}
		case "Secret":
			fmt.Fprintf(&b, "stringData: {password: %s}\n", planted)
		case "ClusterRole":
			b.WriteString("rules: []\n")
		}
	}
	force := ""
	if l.kind == "ServerSideApply" {
		force = ", server_side_apply_config = { force = true }"
	}
	names := `"` + strings.Join(l.picked, `", "`) + `"`
	return provider(l.recorder.Kubeconfig()) + fmt.Sprintf(`
resource "fleet_crp" "p" {
  name      = %q
  manifests = { "all.yaml" = %q }
  policy    = { placement_type = "PickFixed", cluster_names = [%s] }
  strategy = {
    rolling_update = { max_unavailable = "100%%", unavailable_period_seconds = 1 }
    apply_strategy = { type = %q, when_to_take_over = %q%s }
  }
  timeouts = { create = "60s", update = "60s", delete = "60s" }
}
`, l.name, b.String(), names, l.kind, l.mode, force)
}

// operate runs one operation with one fault, repeats it without the fault until it succeeds, and checks the result.
func (l *life) operate(operation string) {
	l.operation, l.fault = operation, pick(l.random, faults()...)
	if l.fault.exclusive {
		stopping.Lock()
		defer stopping.Unlock()
	} else {
		stopping.RLock()
		defer stopping.RUnlock()
	}
	l.output.Reset()
	write(l.T, l.Dir, l.configuration())
	fmt.Fprintf(&l.log, "\n=== %s, %s, %s: %s\n", operation, l.mode, l.kind, l.fault.name)
	l.Logf("%s, %s, %s: %s", operation, l.mode, l.kind, l.fault.name)
	undo := l.fault.start(l)
	_ = l.run(l.arguments()...)
	undo()
	l.settle()
	l.checkClusters()
}

func (l *life) arguments() []string {
	if l.operation == "destroy" {
		return []string{"destroy", "-auto-approve", "-no-color"}
	}
	return []string{"apply", "-auto-approve", "-no-color"}
}

// run runs Terraform under the fault.
func (l *life) run(arguments ...string) error {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), operationTimeout)
	defer cancel()
	cmd := l.Command(ctx, arguments...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Start()
	if err == nil {
		l.fault.started(cmd.Process.Pid)
		err = cmd.Wait()
	}
	fmt.Fprintf(&l.log, "--- terraform %s: %v\n%s\n", arguments[0], err, out.String())
	l.output.Write(out.Bytes())
	if ctx.Err() != nil {
		l.Errorf("%s hangs", arguments[0])
	}
	for _, never := range []string{planted, "panic:", "inconsistent", "Missing Resource Identity", "reported in the provider's own issue tracker", "%!"} {
		if strings.Contains(out.String(), never) {
			l.Errorf("%s prints %q", arguments[0], never)
		}
	}
	return err
}

// settle repeats the operation until it succeeds, as a user would.
func (l *life) settle() {
	l.fault = fault{name: "none"}
	for range 5 {
		before := l.output.Len()
		err := l.run(l.arguments()...)
		if err == nil && !strings.Contains(l.output.String()[before:], "NOT CHECKED") { // an overloaded machine can cause this too
			return
		}
		// The process was killed before it wrote the state.
		if strings.Contains(l.output.String(), "Import it") && l.stateless() {
			_ = l.run("import", "-no-color", "fleet_crp.p", l.name)
		}
	}
	l.Fatalf("%s: %s does not succeed", l.operation, l.name)
}

func (l *life) stateless() bool {
	text, err := os.ReadFile(filepath.Join(l.Dir, "terraform.tfstate"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && !strings.Contains(string(text), `"schema_version"`) // of an instance
}
