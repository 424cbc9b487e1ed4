package manifest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SaltLength is the length of a salt as text, without the colon after it.
const SaltLength = 16

// Salted returns the form in which the hash of content that may be secret is stored: "SALT:HASH". A bare hash would disclose to the readers of the record that
// two Secrets are equal, or that a Secret is in a list of known hashes. before is the current stored form, which Salted returns if it has the same hash. Salted
// returns "" for an empty hash.
func Salted(hash, before string) string {
	switch {
	case hash == "":
		return ""
	case strings.Contains(before, ":") && SameHash(before, hash):
		return before
	default:
		salt := rand.Text()[:SaltLength]
		return salt + ":" + hashWithSalt(salt, hash)
	}
}

// SaltedIfSecret salts the hash of a Secret, and returns other hashes unchanged.
func SaltedIfSecret(id Identifier, hash, before string) string {
	if id.IsSecret() {
		return Salted(hash, before)
	}
	return hash
}

// SameHash reports whether kept, a hash as [Salted] stores it or a bare hash, is the given hash.
func SameHash(kept, hash string) bool {
	if salt, sum, found := strings.Cut(kept, ":"); found {
		return sum == hashWithSalt(salt, hash)
	}
	return kept == hash
}

func hashWithSalt(salt, hash string) string {
	sum := sha256.Sum256([]byte(salt + hash))
	return hex.EncodeToString(sum[:])
}
