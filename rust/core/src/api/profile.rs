//! The names of profiles.

use std::fmt;
use std::str::FromStr;

use super::errors::UnknownProfile;
use super::profiles::Profile;
use crate::tables::{self, PROFILES};

impl Profile {
    /// The name of the profile, such as `google2019`. The Python package and its command use the same names.
    pub fn name(self) -> &'static str {
        self.flags().name
    }

    pub(crate) fn flags(self) -> &'static tables::Profile {
        &PROFILES[self as usize]
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    /// Returns the profile with a name.
    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        let found = Self::ALL.iter().find(|profile| profile.name() == name);
        found.copied().ok_or_else(|| UnknownProfile::new(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_a_name() {
        assert_eq!(Profile::ALL.len(), PROFILES.len());
        for (profile, flags) in Profile::ALL.iter().zip(&PROFILES) {
            assert_eq!(format!("{profile:?}").to_lowercase(), flags.name);
            assert_eq!(flags.name.parse(), Ok(*profile));
        }
        assert_eq!(Profile::default().name(), "rfc9309");
    }
}
