package schedule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// The clusters of the worked examples.
const (
	c4  = "c1 c2 c3 c4"
	env = "a{env:prod,region:east} b{env:prod,region:west} c{env:dev,region:east} d{env:prod,region:west}"
	prp = "p10(x=10) p20(x=20) p55(x=55) p100(x=100) pnone"
	z5  = "e1{r:east} e2{r:east} w1{r:west} w2{r:west} n1{r:north}"
	rz  = "a{r:east,z:1} b{r:east,z:2} c{r:west,z:1} d{r:west,z:2}"
	tnt = "t1[k=v] t2 t3[k=v,gpu]"
)

const (
	taintK   = "taint &{Key:k Value:v Effect:NoSchedule}"
	taintGPU = "taint &{Key:gpu Value: Effect:NoSchedule}"
	badFixed = `no bad: Cluster "bad" is not eligible for resource placement yet: heartbeat`
)

// example is one run with its expected result in the format of render.
type example struct {
	clusters, bindings string
	policy             *placement.Policy
	want               string
}

func runExamples(t *testing.T, examples map[string]example) {
	t.Helper()
	for name, e := range examples {
		t.Run(name, func(t *testing.T) {
			out, err := Schedule(Input{Policy: e.policy, Clusters: fleetOf(t, e.clusters), Bindings: bindingsOf(t, e.bindings), Now: now})
			if diff := cmp.Diff(e.want, render(out, err)); diff != "" {
				t.Errorf("-want +got:\n%s\n%v", diff, err)
			}
		})
	}
}

// TestWorkedExamples covers the examples W1 to W51, whose results are those of KubeFleet's own scheduler.
func TestWorkedExamples(t *testing.T) {
	t.Run("pick_all", func(t *testing.T) { runExamples(t, pickAllExamples()) })
	t.Run("affinity", func(t *testing.T) { runExamples(t, affinityExamples()) })
	t.Run("spread", func(t *testing.T) { runExamples(t, spreadExamples()) })
	t.Run("sticky", func(t *testing.T) { runExamples(t, stickyExamples()) })
	t.Run("taints_and_fixed", func(t *testing.T) { runExamples(t, taintExamples()) })
	count := len(pickAllExamples()) + len(affinityExamples()) + len(spreadExamples()) + len(stickyExamples()) + len(taintExamples())
	if count != 51 {
		t.Errorf("there are %d worked examples, and there were 51", count)
	}
}

func pickAllExamples() map[string]example {
	prod := required(label("env:prod"))
	return map[string]example{
		"W1": {c4 + " c0!bad", "", nil, "+c1 0/0 | +c2 0/0 | +c3 0/0 | +c4 0/0 | no c0: heartbeat | True 4"},
		"W2": {"", "", all(), "True 0"},
		"W3": {env, "", all(prod), "+a 0/0 | +b 0/0 | +d 0/0 | no c: affinity | True 3"},
		"W4": {env, "c Bound", all(prod), "c Bound | +a 0/0 | +b 0/0 | +d 0/0 | True 4"},
		"W5": {env, "a Bound obsolete, c Bound obsolete", all(prod), "~a Bound | -c | +b 0/0 | +d 0/0 | no c: affinity | True 3"},
	}
}

func affinityExamples() map[string]example {
	prp5 := func(operator, value string) *placement.Policy {
		return pick(5, required(propertyTerm("x", operator, value)))
	}
	return map[string]example{
		"W6": {env, "", pick(3, required(label("env:dev"), label("region:west"))), "+d 0/0 | +c 0/0 | +b 0/0 | no a: affinity | True 3"},
		"W7": {c4, "", pick(2), "+c4 0/0 | +c3 0/0 | lost c2 0/0 | lost c1 0/0 | True 2"},
		"W8": {c4, "", pick(6), "+c4 0/0 | +c3 0/0 | +c2 0/0 | +c1 0/0 | False 4"},
		"W9": {c4, "", pick(0), "True 0"},
		"W10": {env, "", pick(2, preferred(20, label("env:prod")), preferred(15, label("region:west"))),
			"+d 35/0 | +b 35/0 | lost a 20/0 | lost c 0/0 | True 2"},
		"W11": {env, "", pick(2, preferred(-30, label("env:prod"))), "+c 0/0 | +d -30/0 | lost b -30/0 | lost a -30/0 | True 2"},
		"W12": {prp, "", pick(2, preferred(100, sorted("x", "Descending"))),
			"+p100 100/0 | +p55 50/0 | lost p20 11/0 | lost pnone 0/0 | lost p10 0/0 | True 2"},
		"W13": {prp, "", pick(2, preferred(100, sorted("x", "Ascending"))),
			"+p10 100/0 | +p20 89/0 | lost p55 50/0 | lost pnone 0/0 | lost p100 0/0 | True 2"},
		"W14": {prp, "", pick(2, preferred(-20, sorted("x", "Descending"))),
			"+pnone 0/0 | +p10 0/0 | lost p20 -2/0 | lost p55 -10/0 | lost p100 -20/0 | True 2"},
		"W15": {"e1(x=5) e2(x=5) e3", "", pick(2, preferred(50, sorted("x", "Descending"))), "+e3 0/0 | +e2 0/0 | lost e1 0/0 | True 2"},
		"W16": {prp, "", prp5("Ne", "20"), "+p55 0/0 | +p100 0/0 | +p10 0/0 | no p20: affinity | no pnone: affinity | False 3"},
		"W17": {prp, "", prp5("Ge", "0.055k"), "+p55 0/0 | +p100 0/0 | no p10: affinity | no p20: affinity | no pnone: affinity | False 2"},
		"W42": {"e1(x=v1.30.2) e2(x=5)", "", pick(1, preferred(50, sorted("x", "Descending"))), "error"},
		"W43": {env, "c Bound a0", pick(3, preferred(20, label("env:prod"))), "c Bound | +d 20/0 | +b 20/0 | lost a 20/0 | True 3"},
		"W44": {c4, "", pick(2, required(placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{}})),
			"+c4 0/0 | +c3 0/0 | lost c2 0/0 | lost c1 0/0 | True 2"},
		"W49": {"c1", "", pick(1, required(propertyTerm("resources.kubernetes-fleet.io/total-ephemeral-storage", "Ge", "1"))), "error"},
	}
}

func spreadExamples() map[string]example {
	const spreadR, spreadOver = `spread "r" (max skew 1)`, "e1{r:e} e2{r:e} e3{r:e} m1{r:m} m2{r:m} n1{r:n}"
	const crowded, three = "e1{r:e} e2{r:e} e3{r:e} w1{r:w} w2{r:w}", "e1 Bound, e2 Bound, e3 Bound"
	return map[string]example{
		"W18": {z5, "", pick(3, dns("r")), "+w2 0/-1 | +n1 0/0 | +e2 0/1 | lost e1 0/1 | no w1: " + spreadR + " | True 3"},
		"W19": {z5, "", pick(5, sa("r")), "+w2 0/-1 | +n1 0/0 | +e2 0/1 | +w1 0/-1 | +e1 0/0 | True 5"},
		"W20": {z5, "", pick(2, preferred(100, label("r:east")), sa("r")),
			"+e2 100/-1 | +w2 0/0 | lost w1 0/0 | lost n1 0/0 | lost e1 100/-1000 | True 2"},
		"W21": {"e1{r:east} e2{r:east} w1{r:west} w2{r:west} n1{r:north}!bad", "", pick(3, dns("r")),
			"+w2 0/-1 | +e2 0/0 | no e1: " + spreadR + " | no n1: heartbeat | no w1: " + spreadR + " | False 2"},
		"W22": {"e1{r:e} e2{r:e} w1{r:w} x1 x2", "", pick(4, dns("r")), "+x2 0/0 | +x1 0/0 | +w1 0/-1 | +e2 0/1 | lost e1 0/1 | True 4"},
		"W23": {"s1{r:o} s2{r:o} s3{r:o}", "", pick(3, dns("r")), "+s3 0/-1 | +s2 0/-1 | +s1 0/-1 | True 3"},
		"W24": {crowded, three, pick(4, dns("r")),
			"e1 Bound | e2 Bound | e3 Bound | no w1: " + spreadR + " | no w2: " + spreadR + " | False 3"},
		"W25": {crowded, three, pick(4, sa("r")), "e1 Bound | e2 Bound | e3 Bound | +w2 0/-1000 | lost w1 0/-1000 | True 4"},
		"W26": {rz, "", pick(3, dns("r"), sa("z")), "+d 0/-2 | +a 0/2 | +c 0/-2 | lost b 0/-2 | True 3"},
		"W27": {rz, "", pick(4, dns("r"), dns("z")), "+d 0/-2 | +a 0/2 | +c 0/-2 | +b 0/2 | True 4"},
		"W50": {spreadOver, "e1 Bound, e2 Bound, m1 Bound", pick(6, spreadBy("r", 2, "DoNotSchedule")),
			"e1 Bound | e2 Bound | m1 Bound | +n1 0/1 | +m2 0/0 | +e3 0/-1 | True 6"},
	}
}

func stickyExamples() map[string]example {
	return map[string]example{
		"W28": {c4, "c1 Bound obsolete", pick(2), "~c1 Bound | +c4 0/0 | lost c3 0/0 | lost c2 0/0 | True 2"},
		"W29": {env, "a Bound obsolete, c Bound obsolete", pick(2, preferred(1, label("region:west"))),
			"-a | -c | +d 1/0 | +b 1/0 | lost c 0/0 | lost a 0/0 | True 2"},
		"W30": {rz, "a Bound obsolete, c Bound obsolete", pick(2, dns("r")),
			`-a | ~c Bound | +b 0/1 | lost a 0/1 | no d: spread "r" (max skew 1) | True 2`},
		"W31": {c4, "c1 Bound a10, c2 Bound a0, c3 Bound a0, c4 Scheduled a50", pick(2), "c1 Bound | -c2 | c3 Bound | -c4 | True 2"},
		"W32": {c4, "c1 Bound a0, c2 Bound a0, c3 Bound a0", pick(2), "-c1 | c2 Bound | c3 Bound | True 2"},
		"W40": {"c1", "c1 Unscheduled was:Bound", pick(1), "^c1 Bound | True 1"},
		"W41": {"c1", "gone Bound", pick(1), "-gone | +c1 0/0 | True 1"},
		"W47": {"b1!bad g1", "b1 Bound", pick(1), "b1 Bound | True 1"},
		"W51": {c4, "c1 Bound, c4 Bound obsolete", pick(1), "c1 Bound | -c4 | True 1"},
	}
}

func taintExamples() map[string]example {
	const withBad = tnt + " bad!bad"
	return map[string]example{
		"W33": {tnt, "", all(), "+t2 0/0 | no t1: " + taintK + " | no t3: " + taintK + " | True 1"},
		"W34": {tnt, "", all(tolerate(placement.Toleration{Key: "k", Operator: "Equal", Value: "v"})),
			"+t1 0/0 | +t2 0/0 | no t3: " + taintGPU + " | True 2"},
		"W35": {tnt, "", all(tolerate(placement.Toleration{Operator: "Exists"})), "+t1 0/0 | +t2 0/0 | +t3 0/0 | True 3"},
		"W36": {tnt, "t1 Bound", pick(1), "t1 Bound | True 1"},
		"W37": {withBad, "", fixed("t1", "bad", "ghost"), "+t1 | " + badFixed + ` | no ghost: Specified cluster "ghost" is not found | False 1`},
		"W38": {withBad, "t2 Bound, bad Bound", fixed("t2", "bad"), "bad Bound | t2 Bound | " + badFixed + " | False 1"},
		"W39": {withBad, "t2 Bound obsolete, bad Bound obsolete", fixed("t2", "bad"), "-bad | ~t2 Bound | " + badFixed + " | False 1"},
		"W45": {"t1[k=v] t2", "t1 Bound obsolete", pick(1), "-t1 | +t2 0/0 | no t1: " + taintK + " | True 1"},
		"W46": {c4, "c1 Bound obsolete", fixed(), "c1 Bound | unreported"},
		"W48": {tnt, "", all(tolerate(placement.Toleration{Key: "k", Value: "v"})),
			"+t2 0/0 | no t1: " + taintK + " | no t3: " + taintK + " | True 1"},
	}
}
