// Package selection resolves resource selectors to objects as KubeFleet's hub does. It determines the objects that a selector selects ([Resolve],
// [ResolveManifests]), the objects that are never placed ([Denied], [ReservedNamespace]), the parts of an object that are not placed ([Strip]), and
// the order of the objects ([Compare]).
//
// The rules are those of KubeFleet's resource selector resolver. Errors that the user must fix are of type [Error]. A single error makes the whole
// selection fail, because in KubeFleet it makes the whole placement fail.
package selection
