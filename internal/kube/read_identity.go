package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
)

// identity is the object whose UID identifies a cluster.
var identity = Ref{GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, Name: metav1.NamespaceSystem}

// UID returns the UID of the namespace kube-system, which identifies a cluster: a recreated cluster at the same address has another one. After the first
// successful call, the UID is cached, and a new connection is used only if it leads to the same cluster.
func (c *Cluster) UID(ctx context.Context) (types.UID, error) {
	return call(ctx, c, opIdentify, Ref{}, func(clients *clients) (types.UID, error) {
		uid, err := c.uid.get(ctx, func(ctx context.Context) (types.UID, error) {
			// This read needs no discovery: every API server has this path, so one request is enough.
			namespaces := verifiedClient{clients.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}), identity}
			namespace, err := namespaces.Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			if namespace.GetUID() == "" {
				return "", &answerError{"the namespace kube-system has no UID, which identifies the cluster"}
			}
			return namespace.GetUID(), nil
		})
		if err != nil {
			return "", err
		}
		return *uid, nil
	})
}

// Identify sets the UID of a cluster if it has not been read yet. The caller must have proof that the UID is right, such as an object that
// only that cluster has. New connections are then verified as after [Cluster.UID].
func (c *Cluster) Identify(uid types.UID) { c.uid.setIfEmpty(uid) }

// ServerVersion returns the version of the API server, for example v1.36.3. The version is cached.
func (c *Cluster) ServerVersion(ctx context.Context) (string, error) {
	return call(ctx, c, opIdentify, Ref{}, func(clients *clients) (string, error) {
		read, err := c.version.get(ctx, func(ctx context.Context) (string, error) {
			var info version.Info
			if err := clients.readDocument(ctx, &info, "version"); err != nil {
				return "", err
			}
			return info.GitVersion, nil
		})
		if err != nil {
			return "", err
		}
		return *read, nil
	})
}
