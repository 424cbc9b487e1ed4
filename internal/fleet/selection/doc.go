// Package selection resolves resource selectors into objects as KubeFleet's hub does: which objects a selector stands for
// ([Resolve], [ResolveManifests]), which are never placed ([Denied], [ReservedNamespace]), what of an object belongs to the hub and stays
// there ([Strip]) and in which order the objects are listed ([Compare]).
//
// The rules are those of KubeFleet's resource selector resolver. Errors that the user has to mend are of type [Error]; one of them makes
// the whole selection fail, as it makes the whole placement fail upstream.
package selection
