// Package fakehub has the code that the fake control planes of KubeFleet and KubeAdmiral share.
package fakehub

import (
	"context"

	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Config returns the configuration of another client of a cluster, without client-side throttling. Its errors are those of [kube.Cluster.Handover].
func Config(ctx context.Context, cluster *kube.Cluster) (*rest.Config, error) {
	reach, err := cluster.Handover(ctx)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: reach.URL, BearerToken: reach.Token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{Insecure: reach.Insecure, CAData: reach.CA, CertData: reach.Certificate, KeyData: reach.Key},
	}, nil
}
