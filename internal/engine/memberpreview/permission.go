package memberpreview

import (
	"context"
	"maps"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// askPermissions asks once what the credentials may do to the objects about which something is in doubt, and so chooses the way in which the
// cluster is looked at: dry runs where all of them may be written, else reading and comparing.
func (m *Member) askPermissions(ctx context.Context, open []*Object) error {
	var checks []kube.Check
	for _, o := range open {
		if o.Served() {
			checks = append(checks, o.permission())
		}
	}
	if len(checks) == 0 {
		return nil
	}
	if err := m.ask(ctx, checks); err != nil || m.allowed == nil {
		return err
	}
	m.look = engine.LookDryRun
	for _, check := range checks {
		if !m.allowed[check] {
			m.look = engine.LookReadOnly
		}
	}
	return nil
}

// askElsewhere asks what the credentials may do to the objects whose namespace the placement brings, where these can be tried.
func (m *Member) askElsewhere(ctx context.Context, open []*Object) error {
	var checks []kube.Check
	for _, o := range open {
		if m.DryRun && o.Served() && o.Live == nil && m.arriving[o.Namespace] {
			checks = append(checks, o.permissionElsewhere())
		}
	}
	return m.ask(ctx, checks)
}

// ask adds to what is known of the rights. Who may not even ask may hardly write.
func (m *Member) ask(ctx context.Context, checks []kube.Check) error {
	if len(checks) == 0 {
		return nil
	}
	allowed, err := m.Cluster.CanI(ctx, checks)
	switch {
	case clusterset.IsUnavailable(err):
		return clusterset.Unreachable(m.Cluster.Name(), err)
	case err != nil:
		return nil //nolint:nilerr // see above
	case m.allowed == nil:
		m.allowed = allowed
	default:
		maps.Copy(m.allowed, allowed)
	}
	return nil
}

// permission is the right that a dry run of what may be done to an object needs.
func (o *Object) permission() kube.Check {
	check := kube.Check{Verb: "patch", GVR: o.Mapping.GVR, Namespace: o.Namespace}
	if o.Live == nil {
		check.Verb = "create"
	}
	return check
}

// permissionElsewhere is the right to create it in the namespace in which objects are tried whose own does not exist yet.
func (o *Object) permissionElsewhere() kube.Check {
	return kube.Check{Verb: "create", GVR: o.Mapping.GVR, Namespace: elsewhere}
}

// may tells whether the API server can be asked for a dry run. A kind that comes with the placement cannot be asked about.
func (m *Member) may(o *Object) bool { return o.Served() && m.allowed[o.permission()] }

// Denies reports whether the credentials are known to lack the right to write an object.
func (m *Member) Denies(o *Object) bool {
	return m.allowed != nil && o.Served() && !m.allowed[o.permission()]
}

// lacksPermission tells a refusal by the authorizer from one by an admission rule: both are "Forbidden", so it is asked again what the
// credentials may do. Who cannot be asked is taken for an admission rule, which is told as it is.
func (m *Member) lacksPermission(ctx context.Context, o *Object, err error) bool {
	if !kube.IsForbidden(err) {
		return false
	}
	allowed, askErr := m.confirm(ctx, o.permission())
	return askErr == nil && !allowed
}

// confirm asks once for every right: a policy may refuse a thousand objects that are alike in this.
func (m *Member) confirm(ctx context.Context, check kube.Check) (bool, error) {
	m.confirming.Lock()
	ask, asked := m.confirmed[check]
	if !asked {
		if m.confirmed == nil {
			m.confirmed = map[kube.Check]func() (bool, error){}
		}
		ask = sync.OnceValues(func() (bool, error) { return m.Cluster.Confirm(ctx, check) })
		m.confirmed[check] = ask
	}
	m.confirming.Unlock()
	return ask()
}
