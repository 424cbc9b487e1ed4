package published

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// Fleet is a hub with members, managed by an engine. No member is registered.
type Fleet struct {
	Env *clusters.Env
	// Engine is the engine's name for the provider.
	Engine string
	// Open creates a workspace with a configuration, and destroys its resources when the test ends.
	Open func(t *testing.T, configuration string) *workspace.Workspace
}

// Walk applies the examples one after the other, and compares the results with those that the documents show for the engine. The removal of an example must
// delete the objects that it has created. An engine may reject an example only for a reason that the documents give.
func Walk(t *testing.T, f Fleet, update bool) {
	t.Helper()
	clusters.Need(t, f.Env)
	shared := f.open(t, file(t, "fleet.tf"))
	workspace.Must(t, shared, "apply", "-auto-approve")
	Prepare(t, f.Env)
	results := map[string]string{}
	for _, e := range examples {
		t.Run(strings.TrimSuffix(e.file, ".tf"), func(t *testing.T) {
			w := walk{T: t, Fleet: f, example: e, terraform: shared, results: map[string]string{}}
			w.run()
			if !t.Failed() {
				maps.Copy(results, w.results)
			}
		})
	}
	show(t, f.Engine, results, update)
}

func (f Fleet) open(t *testing.T, text string) *workspace.Workspace {
	t.Helper()
	w := f.Open(t, text)
	w.Env = append(w.Env, "TF_VAR_engine="+f.Engine)
	return w
}

// walk is the walk through one example.
type walk struct {
	*testing.T
	Fleet
	example

	terraform *workspace.Workspace
	// results are those of the steps, by name.
	results map[string]string
}

// run applies the steps, and removes the example.
func (w walk) run() {
	before := w.find()
	hub.Write(w.T, w.terraform.Dir, file(w.T, "fleet.tf")+file(w.T, w.file))
	if strings.Contains(file(w.T, w.file), "module ") {
		workspace.Must(w.T, w.terraform, "init")
	}
	w.Cleanup(func() {
		hub.Write(w.T, w.terraform.Dir, file(w.T, "fleet.tf"))
	})
	for _, s := range w.steps {
		if why, refused := s.refused[w.Engine]; refused {
			w.results[s.name] = "no: " + w.refuse(s, why)
			continue
		}
		w.results[s.name] = "yes" + w.apply(s)
	}
	hub.Write(w.T, w.terraform.Dir, file(w.T, "fleet.tf"))
	workspace.Must(w.T, w.terraform, "apply", "-auto-approve")
	if w.deletesTakenOver == w.Engine {
		before = map[string][]string{}
	}
	if diff := cmp.Diff(before, w.find()); diff != "" {
		w.Errorf("objects after the removal (-want +got):\n%s", diff)
	}
}

// refuse checks that the plan of a step fails for a reason of the documents, and returns the reason.
func (w walk) refuse(s step, why reason) string {
	w.Helper()
	out, err := w.terraform.Run(w.Context(), nil, append([]string{"plan", "-no-color"}, s.variables...)...)
	if err == nil {
		w.Fatalf("the plan succeeded:\n%s", out)
	}
	text := strings.ToLower(workspace.Squeeze(why.text))
	if !strings.Contains(strings.ToLower(workspace.Squeeze(out)), text) {
		w.Errorf("missing %q in:\n%s", why.text, out)
	}
	if page := documents.Read(w.T, documents.Root(w.T)+"/"+why.page); !strings.Contains(strings.ToLower(workspace.Squeeze(page)), text) {
		w.Errorf("%s does not say %q", why.page, why.text)
	}
	return strings.TrimSuffix(why.text, ".") + "."
}

// apply applies a step and checks its result. It returns the arguments that have no effect in this engine, as a plan warns. The next plan must be empty, except
// that the direct engine retries objects that a member rejects.
func (w walk) apply(s step) (ignored string) {
	w.Helper()
	applied := workspace.Must(w.T, w.terraform, append([]string{"apply", "-auto-approve"}, s.variables...)...)
	if problems := w.problems(); !matches(problems, w.expected(s)) {
		w.Errorf("%s: problems are %q, want %q", s.name, problems, w.expected(s))
	}
	found := w.find()
	on := slices.DeleteFunc(slices.Clone(w.Env.Members), func(member string) bool { return len(found[member]) < len(w.places) })
	if len(s.on) > 0 && !slices.Equal(on, s.on) || len(s.on) == 0 && len(on) != s.number {
		w.Errorf("%s: %q are on %q, want %q or %d members; all objects: %q", s.name, w.places, on, s.on, s.number, found)
	}
	out := workspace.Must(w.T, w.terraform, append([]string{"plan"}, s.variables...)...)
	if retries := w.Engine == "direct" && w.file == "envelope-rejected.tf"; !retries {
		workspace.Contains(w.T, out, "No changes.")
	} else {
		workspace.Contains(w.T, out, "Plan: 0 to add, 1 to change, 0 to destroy.")
	}
	var arguments []string
	for _, found := range withoutEffect.FindAllStringSubmatch(applied, -1) {
		arguments = append(arguments, "`"+found[1]+"`")
	}
	if len(arguments) > 0 {
		return "; ignores " + strings.Join(arguments, ", ")
	}
	return ""
}

// withoutEffect matches the warning about an argument that has no effect.
var withoutEffect = regexp.MustCompile(`Warning: Without effect in this engine: (\S+)`)

// expected returns the problems of a step. A host cluster takes over the Namespaces on its members in every mode.
func (w walk) expected(s step) []string {
	return slices.DeleteFunc(slices.Clone(s.problems), func(problem string) bool {
		return w.Engine == "kubeadmiral" && strings.Contains(problem, ": Namespace ")
	})
}

// find returns the placed objects that exist, by member.
func (w walk) find() map[string][]string {
	w.Helper()
	out := map[string][]string{}
	for _, member := range w.Env.Members {
		client, err := w.Env.Client(member)
		if err != nil {
			w.Fatal(err)
		}
		for _, object := range w.places {
			live, err := client.Find(w.Context(), fixture.ParseRef(object))
			if err != nil {
				w.Fatal(err)
			}
			if live != nil {
				out[member] = append(out[member], object)
			}
		}
	}
	return out
}

// problems returns the lines of the placement's attribute problems.
func (w walk) problems() (out []string) {
	w.Helper()
	if w.resource == "" {
		return nil
	}
	type resource struct {
		Address string
		Values  struct{ Problems string }
	}
	var state struct {
		Values struct {
			Root struct{ Resources []resource } `json:"root_module"`
		}
	}
	text, err := w.terraform.Run(w.Context(), nil, "show", "-json")
	if err != nil {
		w.Fatalf("%v\n%s", err, text)
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		w.Fatal(err)
	}
	at := slices.IndexFunc(state.Values.Root.Resources, func(r resource) bool { return r.Address == w.resource })
	if at < 0 {
		w.Fatalf("the state has no %s", w.resource)
	}
	// Each problem names its member. The text of a problem may itself have semicolons.
	for part := range strings.FieldsFuncSeq(state.Values.Root.Resources[at].Values.Problems, func(r rune) bool { return r == ';' || r == '\n' }) {
		if part = strings.TrimSpace(part); strings.HasPrefix(part, "member-") {
			out = append(out, part)
		}
	}
	slices.Sort(out)
	return out
}

// matches reports whether each line begins with the corresponding text.
func matches(lines, begins []string) bool {
	return slices.EqualFunc(lines, begins, strings.HasPrefix)
}
