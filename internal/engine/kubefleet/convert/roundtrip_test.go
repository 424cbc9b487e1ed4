package convert

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/arbitrary"
)

const rounds = 600

// TestRoundTrip checks that encoding and decoding does not change a spec: absent fields remain absent, and empty fields remain empty.
func TestRoundTrip(t *testing.T) {
	t.Run("placement", func(t *testing.T) {
		roundTrip(t, func(s placement.Spec) placement.Spec {
			wire := throughJSON(t, v1beta1.ClusterResourcePlacement{Spec: FromPlacementSpec(s)}, v1beta1.ClusterResourcePlacementKind)
			return ToPlacementSpec(wire.Spec)
		})
	})
	t.Run("cluster override", func(t *testing.T) {
		roundTrip(t, func(s override.ClusterSpec) override.ClusterSpec {
			meta := OverrideMeta(override.Reference{Name: "o"}, s.Policy)
			wire := throughJSON(t, v1beta1.ClusterResourceOverride{ObjectMeta: meta, Spec: FromClusterOverride(s)}, v1beta1.ClusterResourceOverrideKind)
			out := ToClusterOverride(wire.Spec)
			MarkSensitive(wire.Annotations, out.Policy)
			return out
		})
	})
	t.Run("override", func(t *testing.T) {
		roundTrip(t, func(s override.Spec) override.Spec {
			meta := OverrideMeta(override.Reference{Namespace: "app", Name: "o"}, s.Policy)
			wire := throughJSON(t, v1beta1.ResourceOverride{ObjectMeta: meta, Spec: FromOverride(s)}, v1beta1.ResourceOverrideKind)
			out := ToOverride(wire.Spec)
			MarkSensitive(wire.Annotations, out.Policy)
			return out
		})
	})
	t.Run("update strategy", func(t *testing.T) {
		roundTrip(t, func(s stagedupdate.Strategy) stagedupdate.Strategy {
			wire := throughJSON(t, v1beta1.ClusterStagedUpdateStrategy{Spec: FromUpdateStrategy(s)}, v1beta1.ClusterStagedUpdateStrategyKind)
			return ToUpdateStrategy(wire.Spec)
		})
	})
	t.Run("update run", func(t *testing.T) {
		roundTrip(t, func(r stagedupdate.Run) stagedupdate.Run {
			return ToUpdateRun(throughJSON(t, v1beta1.ClusterStagedUpdateRun{Spec: FromUpdateRun(r)}, v1beta1.ClusterStagedUpdateRunKind).Spec)
		})
	})
	t.Run("member", func(t *testing.T) {
		roundTrip(t, func(s member.Spec) member.Spec {
			return ToMember(throughJSON(t, FromMember(s), clusterv1beta1.MemberClusterKind))
		})
	})
}

func roundTrip[T any](t *testing.T, through func(T) T) {
	t.Helper()
	g := arbitrary.New(t)
	for range rounds {
		spec := arbitrary.Value[T](g)
		visit(reflect.ValueOf(&spec).Elem(), writable)
		if diff := cmp.Diff(spec, through(spec)); diff != "" {
			t.Fatal(diff)
		}
	}
	if unseen := g.Unseen(); len(unseen) > 0 {
		t.Errorf("these values were never tried: %v", unseen)
	}
}

// TestAsWritten checks that a stored spec reads as it was configured, regardless of the fields that the hub has added and dropped.
func TestAsWritten(t *testing.T) {
	t.Run("placement", func(t *testing.T) {
		asWrittenProperty(t, func(s placement.Spec) placement.Spec { return defaultedSpec(ToPlacementSpec(FromPlacementSpec(s))) }, PlacementAsWritten)
	})
	t.Run("cluster override", func(t *testing.T) {
		asWrittenProperty(t, func(s override.ClusterSpec) override.ClusterSpec {
			stored := defaultedClusterOverride(ToClusterOverride(FromClusterOverride(s)))
			MarkSensitive(OverrideMeta(override.Reference{Name: "o"}, s.Policy).Annotations, stored.Policy)
			return stored
		}, ClusterOverrideAsWritten)
	})
	t.Run("override", func(t *testing.T) {
		asWrittenProperty(t, func(s override.Spec) override.Spec {
			stored := defaultedOverride(ToOverride(FromOverride(s)))
			MarkSensitive(OverrideMeta(override.Reference{Namespace: "app", Name: "o"}, s.Policy).Annotations, stored.Policy)
			return stored
		}, OverrideAsWritten)
	})
	t.Run("update strategy", func(t *testing.T) {
		asWrittenProperty(t, func(s stagedupdate.Strategy) stagedupdate.Strategy {
			return defaultedStages(ToUpdateStrategy(FromUpdateStrategy(s)))
		}, UpdateStrategyAsWritten)
	})
	t.Run("update run", func(t *testing.T) {
		asWrittenProperty(t, func(r stagedupdate.Run) stagedupdate.Run { return ToUpdateRun(FromUpdateRun(r)).Defaulted() }, UpdateRunAsWritten)
	})
	t.Run("member", func(t *testing.T) {
		asWrittenProperty(t, func(s member.Spec) member.Spec {
			stored := defaultedMember(ToMember(FromMember(s)))
			if stored.Labels == nil {
				stored.Labels = map[string]string{}
			}
			stored.Labels["kubernetes-fleet.io/member-name"], stored.Labels["operator"] = s.Name, "x"
			return stored
		}, func(stored, written member.Spec) (member.Spec, error) { return MemberAsWritten(stored, &written) })
	})
}

func asWrittenProperty[T any](t *testing.T, store func(T) T, read func(stored, written T) (T, error)) {
	t.Helper()
	g := arbitrary.New(t)
	for range rounds / 4 {
		written := arbitrary.Value[T](g)
		visit(reflect.ValueOf(&written).Elem(), writable)
		got, err := read(store(written), written)
		if diff := cmp.Diff(written, got); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
		// Without a configuration the result has only the values that differ from the defaults, and means the same.
		stored := store(written)
		var nothing T
		if got, err = read(stored, nothing); err != nil {
			t.Fatal(err)
		}
		back, err := read(stored, got)
		if diff := cmp.Diff(got, back); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
	}
}

// writable changes a value so that the API can represent it: required lists are not nil, and fields that only this provider has are absent.
func writable(value any) {
	switch v := value.(type) {
	case *placement.Spec:
		required(&v.ResourceSelectors)
	case *placement.ClusterSelector:
		required(&v.ClusterSelectorTerms)
	case *placement.PropertySelector:
		required(&v.MatchExpressions)
	case *placement.PropertyExpression:
		required(&v.Values)
	case *placement.DeleteStrategy:
		v.Contents = ""
	case *override.ClusterSpec:
		required(&v.ClusterResourceSelectors)
		v.Policy = ruled(v.Policy)
	case *override.Spec:
		required(&v.ResourceSelectors)
		v.Policy = ruled(v.Policy)
	case *override.ClusterSelector:
		required(&v.ClusterSelectorTerms)
	case *override.Patch:
		v.Sensitive = v.Sensitive && len(v.Value) > 0
	case *member.Spec:
		v.Labels, v.Annotations = optional(v.Labels), optional(v.Annotations)
		v.AdoptExisting = nil
		if v.Identity != nil && *v.Identity == (member.Identity{}) {
			v.Identity = nil
		}
	case *member.DeleteOptions:
		v.OnUnreachable = ""
	case *stagedupdate.Strategy:
		required(&v.Stages)
	case *stagedupdate.Task:
		if v.WaitTime != "" { // all notations of a duration are the same in the API
			v.WaitTime = (time.Duration(len(v.WaitTime)) * time.Minute).String()
		}
	case *metav1.LabelSelector: // the API's own type omits empty values
		v.MatchLabels = optional(v.MatchLabels)
		if len(v.MatchExpressions) == 0 {
			v.MatchExpressions = nil
		}
	case *metav1.LabelSelectorRequirement:
		if len(v.Values) == 0 {
			v.Values = nil
		}
	}
}

func ruled(p *override.Policy) *override.Policy {
	if p == nil {
		p = &override.Policy{}
	}
	required(&p.OverrideRules)
	return p
}

func required[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}

func optional(in map[string]string) map[string]string {
	if len(in) == 0 {
		return nil
	}
	return in
}

// visit calls a function with a pointer to every struct in a value.
func visit(v reflect.Value, each func(any)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), each)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), each)
		}
	case reflect.Struct:
		each(v.Addr().Interface())
		for i := range v.NumField() {
			visit(v.Field(i), each)
		}
	default:
	}
}

// throughJSON encodes and decodes an object.
func throughJSON[T any](t *testing.T, object T, kind string) T {
	t.Helper()
	u, err := codec.Encode(object, v1beta1.GroupVersion.WithKind(kind))
	if err != nil {
		t.Fatal(err)
	}
	out, err := codec.Decode[T](u)
	if err != nil {
		t.Fatal(err)
	}
	return *out
}
