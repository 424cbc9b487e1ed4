package kubeadmiral

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

// introduce stores credentials on the host for a member that has not joined yet, and returns the connection settings for its registration. unknown reports
// that the member is not registered yet. If it is true, introduce first waits until the namespace of an earlier membership is deleted: see awaitVacant.
func (e *Engine) introduce(ctx context.Context, name string, cluster *kube.Cluster, unknown bool) (convert.Reach, error) {
	given, err := cluster.Handover(ctx)
	if err == nil && len(given.CA) == 0 && !given.Insecure {
		err = errors.New("the connection has no certificate authority, and a host does not use the system's certificate authorities: set cluster_ca_certificate")
	}
	if err != nil {
		return convert.Reach{}, fmt.Errorf("the host cannot get a connection to the member %q: %w", name, err)
	}
	if unknown {
		if err := e.awaitVacant(ctx, cluster); err != nil {
			return convert.Reach{}, err
		}
	}
	return convert.NewReach(name, given.URL, given.Insecure), e.putSecret(ctx, name, given)
}

// reachedOtherwise returns a warning if the connection of the host to a joined member differs from the provider's connection, and otherwise "". It compares
// the certificate authorities only if the member is not ready. The provider does not change the address of a joined member, because the control plane would
// stop its watches on the member, permanently if the new address is unreachable.
func (e *Engine) reachedOtherwise(ctx context.Context, m v1alpha1.FederatedCluster) string {
	cluster, err := e.clusters.Member(m.Name)
	if err != nil || !convert.Is(m, v1alpha1.ConditionJoined) {
		return ""
	}
	ours, err := cluster.Reach()
	if err != nil {
		return ""
	}
	var differs string
	switch {
	case !sameAddress(m.Spec.APIEndpoint, ours.URL):
		differs = fmt.Sprintf("The host calls the member %q at %s, and the provider's connection has the address %s", m.Name, m.Spec.APIEndpoint, ours.URL)
	case m.Spec.Insecure && !ours.Insecure:
		differs = fmt.Sprintf("The host accepts any certificate of the member %q (insecure), and the provider's connection verifies the certificate", m.Name)
	case !m.Spec.Insecure && ours.Insecure:
		differs = fmt.Sprintf("The host verifies the certificate of the member %q, and the provider's connection accepts any certificate (insecure)", m.Name)
	case !convert.Is(m, v1alpha1.ConditionReady) && e.trustsOther(ctx, m, ours.CA):
		differs = fmt.Sprintf("The host does not reach the member %q, and trusts another certificate authority than the provider's connection", m.Name)
	default:
		return ""
	}
	return differs + ". The provider does not change the host's connection, because KubeAdmiral keeps the connection with which a member joined. If the host's " +
		"connection is right, ignore this warning. If not, replace the resource (terraform apply -replace=...) while the host cluster still reaches the member, " +
		"and apply its placements again: the member leaves, its objects remain, and it joins with the current connection"
}

// sameAddress reports whether two addresses differ at most in the scheme https:// and a trailing slash. A host also accepts an address without a scheme.
func sameAddress(a, b string) bool {
	plain := func(url string) string { return strings.TrimSuffix(strings.TrimPrefix(url, "https://"), "/") }
	return plain(a) == plain(b)
}

// trustsOther reports whether the Secret of a member has a certificate authority other than authority. It returns false if the Secret does not exist or
// cannot be read, or if the host does not verify the certificate of the member.
func (e *Engine) trustsOther(ctx context.Context, m v1alpha1.FederatedCluster, authority []byte) bool {
	secret, err := controlplane.Read(ctx, e.clusters.Hub, secretKind, v1alpha1.SystemNamespace, m.Spec.SecretRef.Name)
	if err != nil || secret == nil || m.Spec.Insecure {
		return false
	}
	text, _, _ := unstructured.NestedString(secret.Object, "data", convert.SecretCA)
	known, err := base64.StdEncoding.DecodeString(text)
	return err == nil && !bytes.Equal(bytes.TrimSpace(known), bytes.TrimSpace(authority))
}

// putSecret writes the credentials for a member. Other keys of the Secret belong to the control plane and remain unchanged. putSecret returns an error if
// the Secret exists and the provider did not create it.
func (e *Engine) putSecret(ctx context.Context, name string, given kube.Handover) error {
	data := map[string]any{}
	set := func(key string, value []byte) {
		if len(value) > 0 {
			data[key] = base64.StdEncoding.EncodeToString(value)
		}
	}
	set(convert.SecretCA, given.CA)
	set(convert.SecretCertificate, given.Certificate)
	set(convert.SecretKey, given.Key)
	set(convert.SecretToken, []byte(given.Token))
	secret := &unstructured.Unstructured{Object: map[string]any{"type": "Opaque", "data": data}}
	secret.SetGroupVersionKind(secretKind)
	secret.SetNamespace(v1alpha1.SystemNamespace)
	secret.SetName(convert.SecretName(name))
	controlplane.MarkCreated(secret)
	live, err := controlplane.Read(ctx, e.clusters.Hub, secretKind, secret.GetNamespace(), secret.GetName())
	if err != nil {
		return err
	}
	if live != nil && !controlplane.IsCreated(live) {
		return fmt.Errorf("the Secret %s/%s already exists on the host cluster, and this provider did not create it: delete it, or give the member another "+
			"name", secret.GetNamespace(),
			secret.GetName())
	}
	_, err = host.Put(ctx, e.clusters.Hub, secret, live)
	return err
}

// awaitVacant waits until the namespace of an earlier membership is deleted on a member, at most for e.pace.Join. If the namespace still exists when the
// member is registered, the member never joins, even after the deletion of the namespace. awaitVacant returns an error if the namespace is not being
// deleted. Nothing is written yet, so any error ends the wait.
func (e *Engine) awaitVacant(ctx context.Context, cluster *kube.Cluster) error {
	limited, cancel := context.WithTimeout(ctx, e.pace.Join)
	defer cancel()
	var failed error
	var isDeleting bool
	done, _ := controlplane.Poll(limited, e.pace.Pace, func(ctx context.Context) (bool, error) {
		found, err := cluster.Get(kube.ReadUnshared(ctx), schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "", v1alpha1.SystemNamespace)
		switch {
		case kube.IsNotFound(err):
			return true, nil
		case err != nil && isDeleting && ctx.Err() != nil: // the end of the wait interrupted the request
			return false, err
		case err != nil:
			failed = clusterset.Unreachable(cluster.Name(), err)
		case found.GetDeletionTimestamp() == nil:
			failed = fmt.Errorf("the member %q has the namespace %s of another membership (registration with the UID %s), so that it cannot join. If no "+
				"host manages the cluster any more, delete the namespace on the member, and apply again", cluster.Name(), v1alpha1.SystemNamespace,
				found.GetAnnotations()[v1alpha1.ClusterUIDAnnotation])
		default:
			isDeleting = true
		}
		return failed != nil, nil
	})
	if !done {
		return fmt.Errorf("the namespace %s of an earlier membership of %q is still being deleted. A member that is registered before the end of this deletion never "+
			"joins. Check what blocks the deletion of the namespace, and apply again", v1alpha1.SystemNamespace, cluster.Name())
	}
	return failed
}
