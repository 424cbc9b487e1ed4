package kube

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A name or namespace that would change the path of a request is rejected before anything is sent.
func TestHostileNamesAreNotSent(t *testing.T) {
	t.Parallel()
	fake := startFake(t)
	cluster, ctx := fake.cluster(t), testContext(t)
	for _, hostile := range []string{"../x", "..", ".", "a/b", "a%2fb"} {
		for _, ref := range []Ref{{GVK: configMapGVK, Namespace: "default", Name: hostile}, {GVK: configMapGVK, Namespace: hostile, Name: "a"}} {
			one := object(configMapGVK, ref.Namespace, ref.Name, nil)
			_, read := cluster.Get(ctx, ref.GVK, ref.Namespace, ref.Name)
			_, shared := cluster.Get(ShareReads(ctx), ref.GVK, ref.Namespace, ref.Name)
			_, created := cluster.Create(ctx, one, WriteOptions{})
			_, _, applied := cluster.ApplyServerSide(ctx, one, nil, ApplyOptions{})
			_, patched := cluster.Patch(ctx, ref, types.MergePatchType, []byte("{}"), WriteOptions{})
			_, _, token := cluster.ServiceAccountToken(ctx, ref.Namespace, ref.Name, 0)
			_, outlined := cluster.GetMetadata(ctx, ref)
			errs := []error{read, shared, outlined, created, applied, patched, token, cluster.Delete(ctx, ref, "1", metav1.DeletePropagationBackground)}
			if ref.Namespace == hostile {
				_, listed := cluster.List(ctx, ref.GVK, hostile, "")
				_, outlined := cluster.ListMetadata(ctx, ref.GVK, hostile, "")
				errs = append(errs, listed, outlined)
			}
			for _, err := range errs {
				if !IsInvalid(err) {
					t.Errorf("%s: %v", ref, err)
				}
			}
			assertErrorContains(t, errs[0], "cannot be part of a request")
		}
	}
	if log := fake.log(); len(log) > 0 {
		t.Errorf("sent: %v", log)
	}
}
