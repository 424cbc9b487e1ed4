package fakekubefleet

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// TestBindingNames checks the rules of pkg/scheduler/framework/uniquename of KubeFleet: the parts have at most 26 and 27 characters, and the scheduler places
// nothing if the name of a new binding has a dot.
func TestBindingNames(t *testing.T) {
	t.Parallel()
	p, c := strings.Repeat("p", 26), strings.Repeat("c", 27)
	for name, test := range map[string]struct {
		placement, member string
		bound             bool   // the member has a binding
		want              string // the prefix of a new binding
		fails             bool
	}{
		"short":               {placement: "app", member: "bravelion", want: "app-bravelion-"},
		"long":                {placement: p + "p", member: c + "c", want: p + "-" + c + "-"},
		"dotted placement":    {placement: "a.b", member: "c", fails: true},
		"dotted member":       {placement: "a", member: "b.c", fails: true},
		"dots behind the cut": {placement: p + ".b", member: c + ".c", want: p + "-" + c + "-"},
		"dotted and bound":    {placement: "a.b", member: "c.d", bound: true},
	} {
		l := &round{view: &view{members: []api.MemberCluster{healthy(test.member)}}, crp: wire.ClusterResourcePlacement{ObjectMeta: metav1.ObjectMeta{Name: test.placement}}}
		if test.bound {
			l.bindings = []wire.ClusterResourceBinding{{
				ObjectMeta: metav1.ObjectMeta{Name: "old"}, Spec: wire.ResourceBindingSpec{TargetCluster: test.member, State: wire.BindingStateBound},
			}}
		}
		if outcome, err := l.decide(); (err != nil) != test.fails || !test.fails && len(outcome.Bindings) != 1 {
			t.Errorf("%s: %d bindings, %v", name, len(outcome.Bindings), err)
		}
		if got := bindingName(test.placement, test.member); test.want != "" && (!strings.HasPrefix(got, test.want) || len(got) != len(test.want)+8) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func healthy(name string) api.MemberCluster {
	out := api.MemberCluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
	out.Status.AgentStatus = []api.AgentStatus{{
		Type: "MemberAgent", LastReceivedHeartbeat: metav1.NewTime(time.Now()),
		Conditions: []metav1.Condition{{Type: member.Joined, Status: "True"}, {Type: member.Healthy, Status: "True"}},
	}}
	return out
}
