package enginetest

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// verbs are the engine's methods for a thing that is identified by a UID.
type verbs struct {
	// read returns the thing's UID. With an empty uid it imports.
	read func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error)
	// write returns the errors of the methods that change or delete the object, and of their previews, by verb.
	write func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error
}

var members = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		found, err := e.ReadMember(ctx, name.Name, withUID(uid, engine.Member{UID: uid, Spec: member.Spec{Name: name.Name}}))
		return found.UID, err
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		prior, want := engine.Member{UID: uid, Spec: member.Spec{Name: name.Name}}, member.Spec{Name: name.Name, Labels: map[string]string{"a": "b"}}
		_, applied := e.ApplyMember(ctx, engine.Member{Spec: want}, &prior)
		return map[string]error{"apply": applied, "delete": e.DeleteMember(ctx, prior)}
	},
}

var placements = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		found, err := e.ReadPlacement(ctx, selectingPlacement(name, uid))
		if err != nil {
			return "", err
		}
		return found.Status.UID, nil
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		p := selectingPlacement(name, uid)
		_, previewed := e.Preview(ctx, p, engine.PreviewOptions{})
		_, previewedRemoval := e.PreviewDelete(ctx, p, engine.DeleteOptions{})
		_, applied := e.ApplyPlacement(ctx, p, engine.ApplyOptions{})
		_, deleted := e.DeletePlacement(ctx, p, engine.DeleteOptions{})
		return map[string]error{"preview": previewed, "preview of the removal": previewedRemoval, "apply": applied, "delete": deleted}
	},
}

// selectingPlacement returns a placement of the world's Namespace, or of a ConfigMap in it, that picks only a cluster which does not exist.
func selectingPlacement(name engine.Reference, uid string) engine.Placement {
	out := engine.Placement{Reference: name, Spec: placement.Spec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: name.Name}},
		Policy:            &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"nowhere"}},
	}}
	if name.Namespace != "" {
		out.Spec.ResourceSelectors[0] = placement.ResourceSelector{Version: "v1", Kind: "ConfigMap", Name: "placed"}
	}
	out.Prior = withUID(uid, placement.Status{UID: uid})
	return out
}

var envelopes = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		prior, err := readEnvelope(ctx, e, name, uid)
		if err != nil {
			return "", err
		}
		found, err := e.ReadEnvelope(ctx, name, prior)
		if err != nil {
			return "", err
		}
		return found.Objects[0].UID, nil
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		prior, err := readEnvelope(ctx, e, name, uid)
		if err != nil {
			return map[string]error{"import": err}
		}
		want := prior.Spec
		want.Labels = map[string]string{"a": "b"}
		_, applied := e.ApplyEnvelope(ctx, want, prior)
		return map[string]error{"apply": applied, "delete": e.DeleteEnvelope(ctx, *prior)}
	},
}

// readEnvelope reads the envelope on the hub and replaces the UID of its object by uid. It returns nil if uid is empty.
func readEnvelope(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (*engine.Envelope, error) {
	if uid == "" {
		return nil, nil
	}
	out, err := e.ReadEnvelope(ctx, name, nil)
	if err == nil {
		out.Objects[0].UID = uid
	}
	return &out, err
}

var overrides = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		found, err := e.ReadOverride(ctx, override.Reference(name), withUID(uid, overriding(name, uid)))
		return found.UID, err
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		prior := overriding(name, uid)
		_, applied := e.ApplyOverride(ctx, prior, &prior)
		return map[string]error{"apply": applied, "delete": e.DeleteOverride(ctx, prior)}
	},
}

func overriding(name engine.Reference, uid string) engine.Override {
	out := engine.Override{Reference: override.Reference(name), UID: uid}
	if name.Namespace == "" {
		out.Cluster = &override.ClusterSpec{}
	} else {
		out.Namespaced = &override.Spec{}
	}
	return out
}

var strategies = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		found, err := e.ReadUpdateStrategy(ctx, name, withUID(uid, engine.UpdateStrategy{Reference: name, UID: uid}))
		return found.UID, err
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		prior := engine.UpdateStrategy{Reference: name, UID: uid, Spec: stagedupdate.Strategy{Stages: []stagedupdate.Stage{{Name: "other"}}}}
		_, applied := e.ApplyUpdateStrategy(ctx, prior, &prior)
		return map[string]error{"apply": applied, "delete": e.DeleteUpdateStrategy(ctx, prior)}
	},
}

var runs = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		found, _, err := e.ReadUpdateRun(ctx, name, withUID(uid, engine.UpdateRun{Reference: name, UID: uid}))
		return found.UID, err
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		run := engine.UpdateRun{Reference: name, UID: uid, Spec: stagedupdate.Run{PlacementName: "none", StrategyName: "none"}}
		_, _, applied := e.ApplyUpdateRun(ctx, run, engine.RunOptions{})
		return map[string]error{"apply": applied, "delete": e.DeleteUpdateRun(ctx, run)}
	},
}

var budgets = verbs{
	read: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) (string, error) {
		found, err := e.ReadDisruptionBudget(ctx, name.Name, withUID(uid, engine.DisruptionBudget{Name: name.Name, UID: uid}))
		return found.UID, err
	},
	write: func(ctx context.Context, e engine.Engine, name engine.Reference, uid string) map[string]error {
		prior := engine.DisruptionBudget{Name: name.Name, UID: uid, Spec: disruption.Budget{MinAvailable: "2"}}
		_, applied := e.ApplyDisruptionBudget(ctx, prior, &prior)
		return map[string]error{"apply": applied, "delete": e.DeleteDisruptionBudget(ctx, prior)}
	},
}

// withUID returns prior, or nil for an empty UID.
func withUID[T any](uid string, prior T) *T {
	if uid == "" {
		return nil
	}
	return &prior
}
