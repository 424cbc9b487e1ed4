package direct_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// partOf is the label that marks an object as a placement's.
const partOf = "applyset.kubernetes.io/part-of"

// subject describes the direct engine for the contract of the engines.
var subject = enginetest.Subject{
	Name: "direct",
	New: func(clients enginetest.Clients) engine.Engine {
		e := direct.New(clusterset.New(clients.Hub, clients.Members, 0), "test")
		e.SetPace(apply.Pace{Renew: 300 * time.Millisecond, Dead: 2 * time.Second})
		return e
	},
	OwnNamespaces: []string{direct.Namespace},
	Marked:        func(live *unstructured.Unstructured) bool { return live.GetLabels()[partOf] != "" },
	Records: func(placement string) []string {
		return []string{"v1 ConfigMap " + direct.Namespace + "/placement-" + placement}
	},
	Tidy: removeRecords,
	Kept: map[enginetest.Noun]string{
		enginetest.Envelope: "{apiVersion: v1, kind: ConfigMap, metadata: {name: $ns, annotations: {kubernetes-fleet.io/envelope-configmap: 'true'}}, " +
			"data: {quota.yaml: '{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: 5}}}'}}",
	},
	Recorded: map[enginetest.Noun]string{ // TestMemberBelongsToOneResource and TestFormerIdentity cover members and placements
		enginetest.ClusterOverride: "{apiVersion: v1, kind: ConfigMap, metadata: {name: cluster-resource-override-$ns, namespace: fleet-system, labels: " +
			"{fleet.terraform.io/record: override}}, data: {override.json: '{\"name\": \"$ns\", \"id\": \"$identity\", \"clusterResourceOverride\": {}}'}}",
		enginetest.NamespacedOverride: "{apiVersion: v1, kind: ConfigMap, metadata: {name: resource-override-$ns.$ns, namespace: fleet-system, labels: " +
			"{fleet.terraform.io/record: override}}, data: {override.json: '{\"namespace\": \"$ns\", \"name\": \"$ns\", \"id\": \"$identity\", \"resourceOverride\": {}}'}}",
	},
	Deviations: deviations,
	Brief:      enginetest.Brief,
}

// removeRecords removes the records of a placement from the members.
func removeRecords(ctx context.Context, w *enginetest.World, placement string) error {
	var errs []error
	for _, member := range w.Members {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			ref := fixture.Ref{APIVersion: "v1", Kind: kind, Namespace: direct.Namespace, Name: "placement-" + placement}
			u, err := w.On(member).Find(ctx, ref)
			if err == nil && u != nil {
				err = w.On(member).Drop(ctx, u)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func TestContract(t *testing.T) { enginetest.Test(t, subject, fleet) }

// TestDeviationsAreDocumented checks that the comment on the deviations documents each of them and no others.
func TestDeviationsAreDocumented(t *testing.T) {
	t.Parallel()
	enginetest.Documented(t, deviations, "deviations_test.go")
}
