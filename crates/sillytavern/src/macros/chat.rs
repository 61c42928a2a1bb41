//! The messages, as macros see them.

/// A message as far as macros care.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MessageView<'a> {
    /// The shown text.
    pub text: &'a str,
    /// Written by the user?
    pub is_user: bool,
    /// Hidden from the prompt?
    pub is_system: bool,
    /// How many swipes there are; `None` when the message never had any.
    pub swipes: Option<usize>,
    /// The index of the shown swipe.
    pub swipe_id: Option<i64>,
    /// When it was sent, in any form SillyTavern writes.
    pub send_date: Option<&'a str>,
}

impl MessageView<'_> {
    /// A new swipe is being made and has no text yet.
    pub fn is_swiping(&self) -> bool {
        match (self.swipes, self.swipe_id) {
            (Some(count), Some(id)) => usize::try_from(id).is_ok_and(|id| id >= count),
            _ => false,
        }
    }
}

/// The messages of a chat, oldest first; a message's id is its index.
///
/// An application implements this for its own chat type, so nothing has to be copied. Slices of [`MessageView`] have it.
pub trait ChatView: Sync {
    /// How many messages there are.
    fn len(&self) -> usize;

    /// The message with this id.
    fn message(&self, id: usize) -> Option<MessageView<'_>>;

    /// Is there no message at all?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ChatView for [MessageView<'_>] {
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    fn message(&self, id: usize) -> Option<MessageView<'_>> {
        self.get(id).copied()
    }
}

impl ChatView for Vec<MessageView<'_>> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn message(&self, id: usize) -> Option<MessageView<'_>> {
        self.get(id).copied()
    }
}
