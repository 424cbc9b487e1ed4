// Package selection resolves resource selectors to objects as KubeFleet's hub does. It has the objects that a selector selects ([Resolve],
// [ResolveManifests]), the objects that are never placed ([Denied], [ReservedNamespace]), the parts of an object that stay on the hub
// ([Strip]), and the order of the objects ([Compare]).
//
// The rules are those of KubeFleet's resource selector resolver. Errors that the user must fix are of type [Error]. One of them makes the
// whole selection fail, as it makes the whole placement fail in KubeFleet.
package selection
