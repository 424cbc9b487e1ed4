// Package manifest turns YAML text into Kubernetes objects and names them.
//
// It is the vocabulary the other domain packages share: an [Identifier] says which object, an [Object] carries its content. Nothing
// here knows a cluster; whether a kind exists or is namespaced is asked where a cluster is at hand.
package manifest
