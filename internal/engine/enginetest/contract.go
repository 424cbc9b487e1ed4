package enginetest

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
)

// group is a named list of cases.
type group struct {
	name  string
	cases []scenario
}

// groups returns the groups of cases that need no admission policies.
func groups() []group {
	return []group{
		{"decisions", decisions},
		{"reports", reportTable},
		{"worked", slices.Concat(workedTakeover, workedApply)},
		{"doubtful", doubtful},
		{"partial", partial},
		{"leaving", leaving},
		{"foretold", rejectedByServer},
		{"readers", readers},
		{"secrets", secrets},
	}
}

// namesByGroup returns the names of all cases by group, including the groups examples, takings and identity.
func namesByGroup() map[string][]string {
	out := map[string][]string{}
	for _, g := range append(groups(), group{"admission", slices.Concat(denials, mutated)}) {
		for _, s := range g.cases {
			out[g.name] = append(out[g.name], s.name)
		}
	}
	for _, e := range examples {
		out["examples"] = append(out["examples"], e.name)
	}
	for _, t := range removalCases {
		out["takings"] = append(out["takings"], t.name)
	}
	for _, i := range identities {
		out["identity"] = append(out["identity"], i.name())
	}
	return out
}

// caseNames returns the names of all cases.
func caseNames() []string { return slices.Concat(slices.Collect(maps.Values(namesByGroup()))...) }

// CasesVariable is an environment variable. The value "all" selects the whole contract of each engine.
const CasesVariable = "FLEET_TEST_CONTRACT"

// covers reports whether the engine is tested with a case of a group.
func (s Subject) covers(group, name string) bool {
	names := s.Brief
	if os.Getenv(CasesVariable) == "all" {
		names = s.Groups
	}
	return names == nil || slices.Contains(names, group) || slices.Contains(names, name)
}

// coversAny reports whether the engine is tested with any case of a group.
func (s Subject) coversAny(group string) bool {
	return slices.ContainsFunc(namesByGroup()[group], func(name string) bool { return s.covers(group, name) })
}

// contract is the state that all cases share: the test kinds on one member, and a recorder in front of the clusters.
type contract struct {
	*World
	fleet    *Fleet
	recorder *clusters.Recorder
}

// Test runs the contract for an engine. The first groups of cases run one after the other and without other tests, because they set up admission policies,
// definitions and members. The rest runs in parallel with the other tests of the package.
func Test(t *testing.T, subject Subject, fleet *Fleet) {
	t.Helper()
	subject.checkNames(t)
	c := newContract(t, fleet)
	if subject.coversAny("admission") {
		t.Run("admission", c.admission)
	}
	if subject.Takes == "" {
		t.Run("definitions", func(t *testing.T) { c.runRemovals(t, true) })
	}
	t.Run("identity", c.identities) // registers members, which other cases would see
	t.Parallel()
	for _, g := range groups() {
		if subject.coversAny(g.name) {
			t.Run(g.name, func(t *testing.T) { c.run(t, g) })
		}
	}
	t.Run("examples", c.examples)
	if subject.Takes == "" {
		t.Run("takings", func(t *testing.T) { c.runRemovals(t, false) })
	}
}

// runCase runs a case in parallel with others, unless the contract of the engine does not include it or the case is impossible for the engine.
func (c *contract) runCase(t *testing.T, group, name string, run func(testing.TB)) {
	t.Helper()
	subject := c.fleet.Subject
	if !subject.covers(group, name) || subject.Deviations[name].Impossible {
		return
	}
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		run(t)
	})
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
		const owners = "apiextensions.k8s.io/v1 CustomResourceDefinition appliedworks.placement.kubernetes-fleet.io"
		found := w.Find(member, owners)
		if found != nil && found.GetDeletionTimestamp() != nil { // left by tests of another package
			w.AwaitGone(member, owners)
			found = nil
		}
		if found == nil {
			w.Put(member, ownersDefinition(t))
		}
		w.AwaitKinds(member, "$group/v1 Widget", "$group/v1 Part", "placement.kubernetes-fleet.io/v1beta1 AppliedWork")
	}
	return c
}

// ownersDefinition returns KubeFleet's own definition of AppliedWork: tests of another package that run next on the member need its status.
func ownersDefinition(t *testing.T) string {
	t.Helper()
	all, err := crds.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(d *unstructured.Unstructured) bool { return crds.Kind(d).Kind == appliedWork })
	text, err := yaml.Marshal(all[at].Object)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run runs the cases of a group in parallel.
func (c *contract) run(t *testing.T, g group) {
	t.Helper()
	for _, s := range g.cases {
		c.runCase(t, g.name, s.name, func(tb testing.TB) {
			s.differing(c.fleet.Subject.Deviations[s.name]).run(c.newCase(tb))
		})
	}
}

// admission installs the admission policies, runs the scenarios that need them, and removes the policies.
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
	c.run(t, group{"admission", scenarios})
}

// enforce enables an admission policy for the case's namespace, and waits until it is effective.
func enforce(policy string) step {
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

// enableNamePolicy waits until the policy on names of Namespaces is effective.
func enableNamePolicy(c *Case) {
	c.Helper()
	client, probe := c.On(c.Member), c.Objects("{apiVersion: v1, kind: Namespace, metadata: {name: $ns-probe-denied}}")[0]
	c.Eventually("the policy on Namespace names is effective", func() bool {
		_, err := client.Add(c.Context(), probe, true)
		return err != nil
	})
}
