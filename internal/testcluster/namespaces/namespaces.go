// Package namespaces empties and removes namespaces that are being deleted, by
// the code of Kubernetes' own namespace controller.
//
// That controller lets five seconds pass before it looks at a namespace, and
// again whenever the namespace changes, so that several API servers and etcd
// members agree on what is in it. A test cluster has one of each, and tests
// delete namespaces all the time.
package namespaces

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/namespace/deletion"
)

const (
	// settle is the time for creations to end that admission let in before the
	// deletion; the API server that saw it lets no more in.
	settle = 100 * time.Millisecond
	// What remains, pods above all, is looked at again after a pause that
	// doubles each time.
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second

	workers = 4
)

type controller struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	deleter deletion.NamespacedResourcesDeleterInterface
}

// Start works in the background until ctx ends.
func Start(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.QPS = -1 // one namespace takes a hundred requests
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	c := &controller{
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](firstPause, lastPause)),
		deleter: deletion.NewNamespacedResourcesDeleter(ctx, client.CoreV1().Namespaces(), objects, client.CoreV1(),
			client.Discovery().ServerPreferredNamespacedResources, corev1.FinalizerKubernetes),
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	if _, err := factory.Core().V1().Namespaces().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, current any) { c.enqueue(current) },
	}); err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	factory.Start(ctx.Done())
	for range workers {
		go func() {
			for c.next(ctx) {
			}
		}()
	}
	context.AfterFunc(ctx, c.queue.ShutDown)
	return nil
}

func (c *controller) enqueue(object any) {
	if namespace, ok := object.(*corev1.Namespace); ok && namespace.DeletionTimestamp != nil {
		c.queue.AddAfter(namespace.Name, settle)
	}
}

// next handles one namespace. It reports false when there will be no more.
func (c *controller) next(ctx context.Context) bool {
	name, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(name)
	// An error says that something is left, for the most part.
	if err := c.deleter.Delete(ctx, name); err != nil {
		klog.FromContext(ctx).V(4).Info("Namespace is not empty yet", "namespace", name, "reason", err.Error())
		c.queue.AddRateLimited(name)
		return true
	}
	c.queue.Forget(name)
	return true
}
