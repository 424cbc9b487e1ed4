// Package namespaces empties and removes namespaces that are being deleted, with the code of Kubernetes' own namespace controller.
//
// Kubernetes' controller waits five seconds before it processes a namespace, and again whenever the namespace changes, so that several API servers and etcd
// members agree on its contents. A test cluster has one of each, and tests delete namespaces all the time.
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
	// settle is the time for requests that admission accepted before the deletion. An API server that has seen the deletion accepts no more.
	settle = 100 * time.Millisecond
	// Remaining objects, mostly Pods, are checked again after a pause that doubles each time.
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second

	workers = 4
)

type controller struct {
	queue   workqueue.TypedRateLimitingInterface[string]
	deleter deletion.NamespacedResourcesDeleterInterface
}

// Start runs the controller in the background until ctx ends.
func Start(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.QPS = -1 // one namespace needs a hundred requests
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

// next processes one namespace. It returns false once the queue has shut down.
func (c *controller) next(ctx context.Context) bool {
	name, quit := c.queue.Get()
	if quit {
		return false
	}
	defer c.queue.Done(name)
	// Usually the error says that objects remain.
	if err := c.deleter.Delete(ctx, name); err != nil {
		klog.FromContext(ctx).V(4).Info("Namespace is not empty yet", "namespace", name, "reason", err.Error())
		c.queue.AddRateLimited(name)
		return true
	}
	c.queue.Forget(name)
	return true
}
