package manifest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SaltLength is how long a salt is, as text; a colon follows it.
const SaltLength = 16

// Salted is what is kept of a hash of content that may be secret: "SALT:HASH". A record is a ConfigMap, which many may read, and a bare hash tells
// them when two Secrets are the same, or one is in a list of hashes. before is what is kept already, which stays if it is of the same hash: a
// record that says the same is not written again. Of nothing nothing is kept.
func Salted(hash, before string) string {
	switch {
	case hash == "":
		return ""
	case strings.Contains(before, ":") && SameHash(before, hash):
		return before
	default:
		salt := rand.Text()[:SaltLength]
		return salt + ":" + salted(salt, hash)
	}
}

// SaltedIfSecret salts the hash of a Secret, and keeps those of others as they are.
func SaltedIfSecret(id Identifier, hash, before string) string {
	if id.IsSecret() {
		return Salted(hash, before)
	}
	return hash
}

// SameHash tells whether what is kept is of this hash.
func SameHash(kept, hash string) bool {
	if salt, sum, found := strings.Cut(kept, ":"); found {
		return sum == salted(salt, hash)
	}
	return kept == hash
}

func salted(salt, hash string) string {
	sum := sha256.Sum256([]byte(salt + hash))
	return hex.EncodeToString(sum[:])
}
