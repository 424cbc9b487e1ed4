package kubeadmiral_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// endsWithoutRetries applies a request with an engine that waits for retries of the control plane longer than the time limit of the apply, and returns the
// error of the apply. It fails the test unless the result shows a ConfigMap on a cluster as rejected, as the preview does.
func endsWithoutRetries(t *testing.T, w *enginetest.World, request enginetest.Request, cluster, name string) error {
	t.Helper()
	if shown := object(t, previewed(t, w, request), cluster, "ConfigMap", name); shown.Action != takeover.ActionReject {
		t.Fatalf("the preview shows %+v", shown)
	}
	e := w.Engine().(*kubeadmiral.Engine) //nolint:forcetypeassert // subject.New returns it
	patient := pace
	patient.Retry = time.Hour
	e.SetPace(patient)
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	result, err := request.Apply(ctx, e)
	if result == nil || result.TimedOut {
		t.Fatalf("the apply waits for the object: %+v %v", result, err)
	}
	for _, o := range result.Objects {
		if o.Cluster == cluster && o.Name == name {
			if o.Action != takeover.ActionReject || o.Failure == nil {
				t.Errorf("%+v", o)
			}
			return err
		}
	}
	t.Errorf("the result does not have the object: %+v", result.Objects)
	return err
}

// An apply does not wait for an object that its preview shows as rejected by a member.
func TestImmutableIsNotAwaited(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	w.Put(w.Members[1], "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns}, data: {value: theirs}, immutable: true}")
	request := requestOf(w, map[string]string{"a": "1", "b": "1"}, nil, modeOf(placement.TakeOverAlways))
	if err := endsWithoutRetries(t, w, request, w.Members[1], "a"); err != nil {
		t.Error(err)
	}
	w.Must(w.Members[1], "v1 ConfigMap $ns/b")
	if got := w.Value(w.Members[1], "v1 ConfigMap $ns/a", "data", "value"); got != "theirs" {
		t.Errorf("it is overwritten with %v", got)
	}
}

// An apply does not wait for an object if the preview shows that its Namespace is missing on the host.
func TestMissingNamespaceIsNotAwaited(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	request := w.Placing("$ns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns-none}}")
	if err := endsWithoutRetries(t, w, request, w.Members[0], "a"); err == nil {
		t.Error("the apply reports no error")
	}
}

// TestImmutableDifference checks that a preview marks differences in immutable fields, so that no report advises to overwrite them. It does so under IfNoDiff
// and Always, whether the field is set in the manifest or on the member.
func TestImmutableDifference(t *testing.T) {
	t.Parallel()
	const immutable = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns}, data: {value: '1'%s}, immutable: true}"
	for name, c := range map[string]struct {
		more    string
		value   string
		when    placement.WhenToTakeOver
		readers bool
		want    takeover.Action
	}{
		"a field of the manifest, IfNoDiff":              {value: "2", when: placement.TakeOverIfNoDiff, want: takeover.ActionLeaveAlone},
		"a field of the manifest, Always":                {value: "2", when: placement.TakeOverAlways, want: takeover.ActionReject},
		"a field of the member, without rights to write": {value: "1", more: ", theirs: b", when: placement.TakeOverIfNoDiff, readers: true, want: takeover.ActionLeaveAlone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := onHost(t)
			member := w.Members[0]
			w.Put(member, fmt.Sprintf(immutable, c.more))
			e := w.Engine()
			if c.readers {
				if !w.Env.Has(clusters.Readonly(member)) {
					t.Skip("the clusters have no credentials that may only read")
				}
				e = w.Fleet.Subject.New(w.Connect(enginetest.Access{As: func(cluster string) string {
					if cluster == w.Env.Hub {
						return cluster
					}
					return clusters.Readonly(cluster)
				}}))
			}
			preview, err := requestOf(w, map[string]string{"a": c.value}, nil, modeOf(c.when)).Preview(w.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			o := object(t, preview, member, "ConfigMap", "a")
			if o.Action != c.want || len(o.Differences) == 0 || !slices.ContainsFunc(o.Differences, func(d diff.Difference) bool { return d.Immutable }) {
				t.Errorf("the preview shows %+v", o)
			}
		})
	}
}
