package predict

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// The plan names the first object whose agent keeps fields that leave the manifest. It does not warn if the agent removes them.
func TestKeepsFields(t *testing.T) {
	t.Parallel()
	const recorded = "annotations: {kubernetes-fleet.io/last-applied-configuration: '{}'}, "
	removed := diff.Difference{Field: "data.b", HasMember: true}
	for name, c := range map[string]struct {
		how             placement.ApplyType
		metadata, kind  string
		operation, data string
		action          takeover.Action
		differences     []diff.Difference
		warns           bool
	}{
		"created, server-side apply":                    {how: placement.ServerSideApply, warns: true},
		"created and recorded, server-side apply":       {how: placement.ServerSideApply, metadata: recorded, warns: true},
		"created by server-side apply, now client-side": {how: placement.ClientSideApply, warns: true},
		"created and recorded, client-side apply":       {how: placement.ClientSideApply, metadata: recorded},
		"applied, server-side apply":                    {how: placement.ServerSideApply, operation: "Apply", differences: []diff.Difference{removed}},
		"nothing leaves the manifest":                   {how: placement.ServerSideApply, data: "{a: '1', b: x}"},
		"not updated":                                   {how: placement.ServerSideApply, action: takeover.ActionNone},
		"labels of a Job, which an API server fills in": {how: placement.ServerSideApply, kind: "Job"},
	} {
		apiVersion, kind, operation, data, action := "v1", "ConfigMap", "Update", "{a: '1'}", takeover.ActionUpdate
		if c.kind != "" {
			apiVersion, kind = "batch/v1", c.kind
		}
		if c.operation != "" {
			operation = c.operation
		}
		if c.data != "" {
			data = c.data
		}
		if c.action != "" {
			action = c.action
		}
		object := func(metadata, data string) *unstructured.Unstructured {
			out := &unstructured.Unstructured{}
			text := fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: web, namespace: app, %s}, data: %s}", apiVersion, kind, metadata, data)
			if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
				t.Fatal(err)
			}
			return out
		}
		managed := "managedFields: [{manager: work-api-agent, operation: " + operation + ", fieldsType: FieldsV1, fieldsV1: {f:data: {.: {}, f:a: {}, f:b: {}}}}]"
		item := &memberpreview.Object{Desired: object("", data), Live: object(c.metadata+managed, "{a: '1', b: x}")}
		item.Version, item.Kind, item.Namespace, item.Name, item.Action, item.Differences = "v1", kind, "app", "web", action, c.differences
		item.Group = strings.TrimSuffix(strings.TrimSuffix(apiVersion, "v1"), "/")
		p := &Prediction{Spec: placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{Type: c.how}}}.Defaulted()}
		p.Clusters = []*Cluster{{Name: "member-1", prediction: p, schema: objectschema.New(), Items: []*memberpreview.Object{item}}}
		danger := p.keptFieldsDanger()
		if (danger != nil) != c.warns {
			t.Errorf("%s: %+v", name, danger)
		}
		if danger != nil && (danger.Path.String() != "strategy.apply_strategy.type" || !strings.Contains(danger.Message, "no longer has data.b")) {
			t.Errorf("%s: %s: %s", name, danger.Path, danger.Message)
		}
	}
}
