package kubeadmiral

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestTakeoverNotes checks that an import names the objects that its when_to_take_over takes over, although they now allow no takeover.
func TestTakeoverNotes(t *testing.T) {
	t.Parallel()
	const everywhere, somewhere, nowhere = `{"regexp":".*"}`, `{"clusters":["a"]}`, ""
	const none = `taken over on no cluster: ConfigMap a/2. With when_to_take_over = "IfNoDiff", an apply also takes over`
	for name, c := range map[string]struct {
		adopt    []string
		external bool
		mode     placement.WhenToTakeOver
		// want are parts of the notes. Without any, there is no note.
		want []string
	}{
		"every cluster, some, and none": {
			adopt: []string{everywhere, somewhere, nowhere}, mode: placement.TakeOverIfNoDiff, want: []string{"on every cluster: ConfigMap a/0", none},
		},
		"every cluster, and some":                               {adopt: []string{everywhere, somewhere}, mode: placement.TakeOverIfNoDiff, want: []string{"on every cluster: ConfigMap a/0"}},
		"every cluster, and none":                               {adopt: []string{everywhere, nowhere}, mode: placement.TakeOverNever, want: []string{"on every cluster: ConfigMap a/0"}},
		"some, and none, of a policy that the provider created": {adopt: []string{somewhere, somewhere, nowhere}, mode: placement.TakeOverIfNoDiff},
		"some, and none, of an external policy": {
			adopt: []string{somewhere, somewhere, nowhere}, external: true, mode: placement.TakeOverIfNoDiff, want: []string{none},
		},
		"some of an external policy": {adopt: []string{somewhere}, external: true, mode: placement.TakeOverIfNoDiff},
		"none of an external policy": {adopt: []string{nowhere}, external: true, mode: placement.TakeOverNever},
	} {
		i := &importer{fleet: &host.Fleet{}}
		if c.external {
			i.fleet.ExternalPolicy = &v1alpha1.PropagationPolicySpec{}
		}
		for n, adopt := range c.adopt {
			f := convert.Federated{Annotations: map[string]string{}}
			f.Spec.Template = runtime.RawExtension{Raw: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"a","name":"` + string(rune('0'+n)) + `"}}`)}
			if adopt != nowhere {
				f.Annotations[v1alpha1.ConflictResolutionAnnotation] = v1alpha1.ConflictResolutionAdopt
				f.Annotations[v1alpha1.ClustersToAdoptAnnotation] = adopt
			}
			i.objects = append(i.objects, f)
		}
		i.strategy()
		if got := i.spec.Strategy.ApplyStrategy.WhenToTakeOver; got != c.mode {
			t.Errorf("%s: %s", name, got)
		}
		text := strings.Join(i.notes, "\n")
		if len(i.notes) != len(c.want) {
			t.Errorf("%s: %s", name, text)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s\nwant %s", name, text, want)
			}
		}
	}
}
