package dispatch_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestLabelValues checks that only the values "true" and "false" of the control plane's label have a meaning, as in pkg/util/managedlabel of KubeAdmiral.
func TestLabelValues(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct {
		managed bool
		owner   takeover.Owner
	}{
		"true":  {true, takeover.Owner{Kind: takeover.OwnerHelm, Name: "web"}},
		"false": {false, takeover.Owner{Kind: takeover.OwnerKubeAdmiral, Name: `label kubeadmiral.io/managed: "false"`, Exclusive: true}},
		"no":    {false, takeover.Owner{Kind: takeover.OwnerHelm, Name: "web"}},
		"":      {false, takeover.Owner{Kind: takeover.OwnerHelm, Name: "web"}},
	} {
		live := &unstructured.Unstructured{}
		live.SetLabels(map[string]string{"kubeadmiral.io/managed": value, "app.kubernetes.io/managed-by": "Helm"})
		live.SetAnnotations(map[string]string{"meta.helm.sh/release-name": "web"})
		if got := dispatch.Managed(live); got != want.managed {
			t.Errorf("%q: managed %v", value, got)
		}
		if got := (&dispatch.Ownership{}).Owner(live); got != want.owner {
			t.Errorf("%q: %+v", value, got)
		}
	}
}
