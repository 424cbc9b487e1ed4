// Package takeover decides what happens to an object that a placement finds on a member.
package takeover
