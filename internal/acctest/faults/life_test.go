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

// planted is in a Secret of every placement, and must be nowhere else.
const planted = "planted-value-that-nobody-may-see"

// operationTimeout is when an operation counts as one that hangs.
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
	// wanted are the objects that are to be placed, by reference; nil data for those whose content does not matter.
	wanted map[fixture.Ref]map[string]string
	// ever are those that were to be placed at some time.
	ever map[fixture.Ref]bool
	// foreign are objects that others made, by cluster.
	foreign map[string]map[fixture.Ref]stranger
	// operation is what is being done, fault what goes wrong meanwhile.
	operation string
	fault     fault
	// said is what Terraform has printed of the present operation and of its repetitions, log everything.
	said, log bytes.Buffer
	// lost reports that a record of the placement was deleted or damaged, so that it may be unknown what the placement made.
	lost bool
}

// stranger is an object of others: it stays, whatever happens to the placement. Its data stay, too, unless the placement may take it.
type stranger struct {
	uid  string
	data map[string]string
	mine bool // the placement wants an object of this name
}

func newLife(t *testing.T, seed uint64) *life {
	t.Helper()
	l := &life{
		T: t, name: fmt.Sprintf("life-%d-%s", seed, strings.ToLower(time.Now().Format("150405"))), random: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // a repeatable test
		picked: slices.Clone(env.Members), wanted: map[fixture.Ref]map[string]string{}, ever: map[fixture.Ref]bool{},
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

// live creates, changes and destroys the placement, and holds the clusters against what must be after each.
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

func (l *life) want(ref fixture.Ref, data map[string]string) { l.wanted[ref], l.ever[ref] = data, true }

// change makes the placement another one.
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

// configuration is the placement in HCL.
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

// operate does one operation with one fault, then again without until it is done, and looks at what came of it.
func (l *life) operate(operation string) {
	l.operation, l.fault = operation, pick(l.random, faults()...)
	if l.fault.exclusive {
		stopping.Lock()
		defer stopping.Unlock()
	} else {
		stopping.RLock()
		defer stopping.RUnlock()
	}
	l.said.Reset()
	write(l.T, l.Dir, l.configuration())
	fmt.Fprintf(&l.log, "\n=== %s, %s, %s: %s\n", operation, l.mode, l.kind, l.fault.name)
	l.Logf("%s, %s, %s: %s", operation, l.mode, l.kind, l.fault.name)
	mend := l.fault.strike(l)
	_ = l.run(l.arguments()...)
	mend()
	l.settle()
	l.look()
}

func (l *life) arguments() []string {
	if l.operation == "destroy" {
		return []string{"destroy", "-auto-approve", "-no-color"}
	}
	return []string{"apply", "-auto-approve", "-no-color"}
}

// run runs Terraform as the fault has it.
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
	l.said.Write(out.Bytes())
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

// settle repeats the operation until it is done, as a user would.
func (l *life) settle() {
	l.fault = fault{name: "none"}
	for range 5 {
		before := l.said.Len()
		err := l.run(l.arguments()...)
		if err == nil && !strings.Contains(l.said.String()[before:], "NOT CHECKED") { // which a machine without a processor to spare brings about by itself
			return
		}
		// The state was lost with the process that was to write it.
		if strings.Contains(l.said.String(), "Import it") && l.stateless() {
			_ = l.run("import", "-no-color", "fleet_crp.p", l.name)
		}
	}
	l.Fatalf("%s: %s does not come to an end", l.operation, l.name)
}

func (l *life) stateless() bool {
	text, err := os.ReadFile(filepath.Join(l.Dir, "terraform.tfstate"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && !strings.Contains(string(text), `"schema_version"`) // of an instance
}
