package memberpreview

import (
	"context"
	"maps"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// checkPermissions checks what the credentials may do to the open objects, about which nothing is decided yet. It sets the check method that the preview
// reports.
func (m *Member) checkPermissions(ctx context.Context, open []*Object) error {
	var checks []kube.Check
	for _, o := range open {
		if o.Served() {
			checks = append(checks, o.permission())
		}
	}
	if len(checks) == 0 {
		return nil
	}
	if err := m.addPermissions(ctx, checks); err != nil || m.allowed == nil {
		return err
	}
	m.checkMethod = engine.CheckDryRun
	for _, check := range checks {
		if !m.allowed[check] {
			m.checkMethod = engine.CheckReadOnly
		}
	}
	return nil
}

func (m *Member) checkSubstitutePermissions(ctx context.Context, open []*Object) error {
	var checks []kube.Check
	for _, o := range open {
		if m.DryRun && o.Served() && o.Live == nil && m.arriving[o.Namespace] {
			checks = append(checks, o.substitutePermission())
		}
	}
	return m.addPermissions(ctx, checks)
}

// addPermissions adds the answers to m.allowed. It returns an error only if the cluster is unreachable. After any other error, it adds no answers:
// credentials that may not send access reviews probably may not write either.
func (m *Member) addPermissions(ctx context.Context, checks []kube.Check) error {
	if len(checks) == 0 {
		return nil
	}
	allowed, err := m.Cluster.CanI(ctx, checks)
	switch {
	case clusterset.IsUnavailable(err):
		return clusterset.Unreachable(m.Cluster.Name(), err)
	case err != nil:
		return nil //nolint:nilerr // see above
	}
	m.permissionMu.Lock()
	defer m.permissionMu.Unlock()
	if m.allowed == nil {
		m.allowed = map[kube.Check]bool{}
	}
	maps.Copy(m.allowed, allowed)
	return nil
}

// recheckPermission checks the permission for an object that was read again: a deleted object needs another permission than an existing one.
func (m *Member) recheckPermission(ctx context.Context, o *Object) error {
	if err := m.addPermissions(ctx, []kube.Check{o.permission()}); err != nil {
		return err
	}
	if !m.canDryRun(o) {
		m.setReadOnly()
	}
	return nil
}

func (m *Member) setReadOnly() {
	m.permissionMu.Lock()
	defer m.permissionMu.Unlock()
	m.checkMethod = engine.CheckReadOnly
}

func (m *Member) isAllowed(check kube.Check) bool {
	m.permissionMu.Lock()
	defer m.permissionMu.Unlock()
	return m.allowed[check]
}

// permission returns the permission for a dry run of the object's write.
func (o *Object) permission() kube.Check {
	check := kube.Check{Verb: "patch", GVR: o.Mapping.GVR, Namespace: o.Namespace}
	if o.Live == nil {
		check.Verb = "create"
	}
	return check
}

func (o *Object) substitutePermission() kube.Check {
	return kube.Check{Verb: "create", GVR: o.Mapping.GVR, Namespace: substituteNamespace}
}

func (m *Member) canDryRun(o *Object) bool { return o.Served() && m.isAllowed(o.permission()) }

// Denies reports whether the credentials are known to lack the right to write an object.
func (m *Member) Denies(o *Object) bool {
	m.permissionMu.Lock()
	defer m.permissionMu.Unlock()
	return m.allowed != nil && o.Served() && !m.allowed[o.permission()]
}

// lacksPermission reports whether err is a "Forbidden" of the authorizer. Admission rules return the same error, so lacksPermission checks the permission
// again, and records that it is missing. If this check fails, it returns false.
func (m *Member) lacksPermission(ctx context.Context, o *Object, err error) bool {
	if !kube.IsForbidden(err) {
		return false
	}
	allowed, checkErr := m.confirm(ctx, o.permission())
	if checkErr != nil || allowed {
		return false
	}
	m.permissionMu.Lock()
	defer m.permissionMu.Unlock()
	m.allowed[o.permission()], m.checkMethod = false, engine.CheckReadOnly
	return true
}

// confirm checks each permission only once: a policy may reject a thousand objects that need the same one.
func (m *Member) confirm(ctx context.Context, check kube.Check) (bool, error) {
	m.permissionMu.Lock()
	ask, isKnown := m.confirmed[check]
	if !isKnown {
		if m.confirmed == nil {
			m.confirmed = map[kube.Check]func() (bool, error){}
		}
		ask = sync.OnceValues(func() (bool, error) { return m.Cluster.Confirm(ctx, check) })
		m.confirmed[check] = ask
	}
	m.permissionMu.Unlock()
	return ask()
}
