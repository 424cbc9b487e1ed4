package member

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestValidate(t *testing.T) {
	for name, c := range map[string]struct {
		spec            Spec
		attribute, want string
	}{
		"valid":                      {Spec{Labels: map[string]string{"example.org/a": "b"}, Identity: &Identity{Kind: User, Name: "a"}}, "", ""},
		"a label of Azure":           {Spec{Labels: map[string]string{"fleet.azure.com/location": "a"}}, "labels", "reserved"},
		"a label of the fleet":       {Spec{Labels: map[string]string{"kubernetes-fleet.io/member-name": "a"}}, "labels", "reserved"},
		"one of a part of it":        {Spec{Labels: map[string]string{"cluster.kubernetes-fleet.io/a": "a"}}, "labels", "reserved"},
		"annotations too big":        {Spec{Annotations: map[string]string{"a": strings.Repeat("x", 256<<10)}}, "annotations", "262145 bytes"},
		"one of a member of Azure":   {Spec{Annotations: map[string]string{"fleet.azure.com/cluster-resource-id": "a"}}, "annotations", "reserved"},
		"adopted":                    {Spec{AdoptExisting: new(true), Labels: map[string]string{"a": "b"}, Taints: []Taint{{Key: "a", Effect: placement.NoSchedule}}}, "", ""},
		"an adopted one's agent":     {Spec{AdoptExisting: new(true), Identity: &Identity{Kind: User, Name: "a"}}, "identity", "adopt_existing"},
		"an adopted one's heart":     {Spec{AdoptExisting: new(true), HeartbeatPeriodSeconds: new(int32(60))}, "heartbeat_period_seconds", "adopt_existing"},
		"an adopted one's end":       {Spec{AdoptExisting: new(true), DeleteOptions: &DeleteOptions{}}, "delete_options", "adopt_existing"},
		"no longer an adopted one's": {Spec{AdoptExisting: new(false), DeleteOptions: &DeleteOptions{}}, "", ""},
		"an annotation's key":        {Spec{Annotations: map[string]string{"a b": ""}}, "annotations", "not valid"},
		"another identity":           {Spec{Identity: &Identity{Kind: "Robot"}}, "identity", `"Robot" is unknown; it must be one of ServiceAccount, User, Group`},
		"another validation":         {Spec{DeleteOptions: &DeleteOptions{ValidationMode: "Lax"}}, "delete_options", `"Lax" is unknown`},
		"a namespace of a user":      {Spec{Identity: &Identity{Kind: User, Name: "a", Namespace: "b"}}, "identity", "a User is cluster-scoped"},
		"another effect":             {Spec{Taints: []Taint{{Key: "a", Effect: "NoExecute"}}}, "taints", `"NoExecute" is unknown; it must be NoSchedule`},
	} {
		c.spec.Name = "member"
		problems := Validate(c.spec)
		switch {
		case c.want == "" && len(problems) > 0, c.want != "" && len(problems) != 1:
			t.Errorf("%s: %+v", name, problems)
		case c.want != "" && (problems[0].Path[0].Attribute != c.attribute || !strings.Contains(problems[0].Message, c.want)):
			t.Errorf("%s: %+v", name, problems[0])
		}
	}
}
