package enginetest

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// group is cases of one kind.
type group struct {
	name  string
	cases []scenario
}

// groups are all cases but those that need admission rules.
func groups() []group {
	return []group{
		{"decisions", decisions},
		{"reports", reportTable},
		{"worked", slices.Concat(workedTakeover, workedApply)},
		{"doubtful", doubtful},
		{"partial", partial},
		{"leaving", leaving},
		{"foretold", foretold},
		{"readers", readers},
		{"secrets", secrets},
	}
}

// caseNames are those of all cases, examples included.
func caseNames() []string {
	var out []string
	for _, g := range append(groups(), group{"admission", slices.Concat(denials, mutated)}) {
		for _, s := range g.cases {
			out = append(out, s.name)
		}
	}
	for _, e := range examples {
		out = append(out, e.name)
	}
	return out
}

// CasesVariable asks for all cases, also of an engine that is otherwise held to some.
const CasesVariable = "FLEET_TEST_CONTRACT"

// covers tells whether the engine is to be held to a group of cases.
func (s Subject) covers(group string) bool {
	return s.Brief == nil || os.Getenv(CasesVariable) == "all" || slices.Contains(s.Brief, group)
}

// contract is what all cases share: kinds that one of the members serves, and a recorder in front of the clusters.
type contract struct {
	*World
	fleet    *Fleet
	recorder *clusters.Recorder
}

// Test holds an engine to the contract. The first cases run while no other test of the package does, since they set up admission rules;
// then it goes on in parallel with the others.
func Test(t *testing.T, subject Subject, fleet *Fleet) {
	t.Helper()
	subject.Deviations.known(t)
	c := newContract(t, fleet)
	if subject.covers("admission") {
		t.Run("admission", c.admission)
	}
	t.Parallel()
	for _, g := range groups() {
		if subject.covers(g.name) {
			t.Run(g.name, func(t *testing.T) { c.run(t, g.cases) })
		}
	}
	t.Run("examples", c.examples)
	if subject.Takes == "" {
		t.Run("takings", c.takes)
	}
}

func newContract(t *testing.T, fleet *Fleet) *contract {
	t.Helper()
	w := fleet.world(t, 1)
	contexts := fleet.Contexts()
	for _, name := range fleet.Contexts() {
		if readonly := clusters.Readonly(name); fleet.Has(readonly) {
			contexts = append(contexts, readonly)
		}
	}
	w.record(clusters.RecorderOptions{PlainHTTP: true, Contexts: contexts})
	w.Names = map[string]string{"$group": w.Name + ".example.com"}
	c := &contract{World: w, fleet: fleet, recorder: w.Recorder}
	for _, member := range w.Members {
		w.Put(member, definitions)
		if w.Find(member, "apiextensions.k8s.io/v1 CustomResourceDefinition appliedworks.placement.kubernetes-fleet.io") == nil {
			w.Put(member, ownersDefinition)
		}
		w.AwaitKinds(member, "$group/v1 Widget", "$group/v1 Part", "placement.kubernetes-fleet.io/v1beta1 AppliedWork")
	}
	return c
}

// run runs scenarios side by side.
func (c *contract) run(t *testing.T, scenarios []scenario) {
	t.Helper()
	for _, s := range scenarios {
		deviation := c.fleet.Subject.Deviations[s.name]
		if deviation.Impossible {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.differing(deviation).run(c.newCase(t))
		})
	}
}

// admission runs the scenarios for which rules of admission are needed, and removes those afterwards.
func (c *contract) admission(t *testing.T) {
	member, w := c.Members[0], c.World.World.For(t)
	scenarios, texts := slices.Clone(denials), policies
	_, err := w.On(member).Namespaced(fixture.ParseRef("admissionregistration.k8s.io/v1 MutatingAdmissionPolicy").GVK())
	switch {
	case err == nil:
		scenarios, texts = append(scenarios, mutated...), texts+"\n---\n"+mutations
	case meta.IsNoMatchError(err):
		t.Log("the API server has no MutatingAdmissionPolicy")
	default:
		t.Fatal(err)
	}
	for _, text := range strings.Split(texts, "\n---\n") {
		stored := w.Put(member, text)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
			defer cancel()
			if err := w.On(member).Drop(ctx, stored); err != nil {
				t.Error(err)
			}
		})
	}
	c.run(t, scenarios)
}

// under lets a policy look at what is written to the case's namespace from now on.
func under(policy string) step {
	return func(c *Case) {
		c.Helper()
		edit("kubectl-label", "v1 Namespace $ns", "{metadata: {labels: {admission: "+policy+"}}}")(c)
		client := c.On(c.Member)
		probe := c.Objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: probe}, data: {denied: probe}}")[0]
		effective := func() bool {
			stored, err := client.Add(c.Context(), probe, true)
			return err != nil || stored.GetLabels()["mutated"] != ""
		}
		if policy == "marks" {
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: probe}}")(c)
			ref := c.Ref(c.Member, "v1 ConfigMap probe")
			effective = func() bool {
				return client.Merge(c.Context(), ref, []byte(`{"metadata":{"labels":{"a":"b"}}}`), "", true) != nil
			}
		}
		c.Eventually("the policy "+policy+" is effective", effective)
	}
}
