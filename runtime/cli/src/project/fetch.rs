//! Brings the git dependencies of a project here, and compares them with its lock file.
//!
//! A dependency may have dependencies: all that come by git are side by side in `.simple/deps` of the project, so two
//! packages that want different revisions of one name are an error.

use super::git;
use super::lock::{Lock, Locked};
use super::manifest::{FETCHED, MANIFEST, Manifest, Origin};
use crate::output::complain;
use crate::surroundings::tidy;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Makes sure that all dependencies of a project are there.
///
/// # Errors
///
/// A message: a folder that is not there, what git says, files that are not those of the lock file.
pub fn ensure(project: &Path) -> Result<(), String> {
    let old = Lock::read(project)?;
    let mut lock = Lock::default();
    let mut wanted: BTreeMap<String, (String, String, PathBuf)> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut left = vec![project.to_owned()];
    while let Some(folder) = left.pop() {
        if !seen.insert(folder.clone()) || !folder.join(MANIFEST).is_file() {
            continue;
        }
        for (name, dependency) in Manifest::read(&folder)?.dependencies {
            match dependency.origin()? {
                Origin::Path(path) => {
                    let place = tidy(&folder.join(&path));
                    if !place.is_dir() {
                        return Err(format!(
                            "{}: dependency `{name}`: cannot find the folder {}",
                            folder.join(MANIFEST).display(),
                            place.display()
                        ));
                    }
                    left.push(place);
                }
                Origin::Git(url, rev) => {
                    let place = project.join(FETCHED).join(&name);
                    match wanted.get(&name) {
                        Some((url_of, rev_of, other)) if (url_of, rev_of) != (&url, &rev) => {
                            return Err(format!(
                                "dependency `{name}`: {} wants `{rev_of}` of {url_of}, and {} wants `{rev}` of {url}",
                                other.display(),
                                folder.display()
                            ));
                        }
                        Some(_) => {}
                        None => {
                            let locked =
                                bring(&name, &url, &rev, &place, old.dependencies.get(&name))?;
                            lock.dependencies.insert(name.clone(), locked);
                            wanted.insert(name, (url, rev, folder.clone()));
                        }
                    }
                    left.push(place);
                }
            }
        }
    }
    match lock == old {
        true => Ok(()),
        false => lock.write(project),
    }
}

/// Makes sure that a dependency is there in its locked state, or in that of its revision if it has none.
fn bring(
    name: &str,
    url: &str,
    rev: &str,
    place: &Path,
    known: Option<&Locked>,
) -> Result<Locked, String> {
    let known = known.filter(|locked| locked.git == url && locked.rev == rev);
    if let Some(locked) = known
        && place.is_dir()
    {
        return match git::hash_of(place)? == locked.hash {
            true => Ok(locked.clone()),
            false => Err(format!(
                "the files of dependency `{name}` in {} are not those of simple.lock; remove the folder, and `simple build` fetches them again",
                place.display()
            )),
        };
    }
    complain!("fetching {name}: {url}, {rev}");
    let commit = known.map_or(rev, |locked| &locked.commit);
    let fetched = git::fetch(url, Some(commit), place)?;
    if let Some(locked) = known.filter(|locked| locked.hash != fetched.hash) {
        let _ = std::fs::remove_dir_all(place);
        return Err(format!(
            "what {url} has as {} is not what simple.lock says: expected the hash {}, found {}",
            locked.commit, locked.hash, fetched.hash
        ));
    }
    Ok(Locked {
        git: url.to_owned(),
        rev: rev.to_owned(),
        commit: fetched.commit,
        hash: fetched.hash,
    })
}
