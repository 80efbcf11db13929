//! Laws of actuators. MuJoCo keeps one law for all kinds of them in a default class; `position`, `velocity` and `motor` are other words for a part of it.
//!
//! An element of such a word changes the law that it finds where that is of `general` or of the same word, and that of a fresh actuator otherwise.

use super::defaults::Element;
use super::document::Findings;

/// Force of an actuator: gain · control + bias, each affine in length and speed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Law {
    /// Word of the element that has set it last.
    word: String,
    pub(super) gain_type: String,
    pub(super) bias_type: String,
    pub(super) dynamics: String,
    pub(super) gain: [f64; 3],
    pub(super) bias: [f64; 3],
    /// Of the critical damping with the inertia that it moves, instead of the last bias.
    pub(super) damping_ratio: Option<f64>,
    /// Time constant of a filter \[s\].
    pub(super) constant: f64,
}

impl Default for Law {
    fn default() -> Self {
        Self {
            word: "general".to_owned(),
            gain_type: "fixed".to_owned(),
            bias_type: "none".to_owned(),
            dynamics: "none".to_owned(),
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            damping_ratio: None,
            constant: 0.0,
        }
    }
}

impl Law {
    /// Changes it as an element says, which must have no class.
    pub(super) fn read(&mut self, own: &Element<'_>, findings: &mut Findings) {
        let word = own.tag.name.as_str();
        if word != "general" && self.word != "general" && self.word != word {
            *self = Self::default();
        }
        word.clone_into(&mut self.word);
        match word {
            "general" => self.general(own, findings),
            "position" => self.position(own, findings),
            "velocity" => {
                let kv = own.number("kv", self.gain[0], findings);
                self.set(["fixed", "affine"], [[kv, 0.0, 0.0], [0.0, 0.0, -kv]]);
            }
            "damper" => {
                let kv = own.number("kv", 0.0, findings);
                if kv < 0.0 {
                    own.wrong::<()>("kv", "must not be negative", findings);
                }
                self.set(["affine", "none"], [[0.0, 0.0, -kv], [0.0; 3]]);
            }
            "motor" => self.set(["fixed", "none"], [[1.0, 0.0, 0.0], [0.0; 3]]),
            _ => {}
        }
    }

    fn set(&mut self, [gain_type, bias_type]: [&str; 2], [gain, bias]: [[f64; 3]; 2]) {
        *self = Self {
            word: std::mem::take(&mut self.word),
            gain_type: gain_type.to_owned(),
            bias_type: bias_type.to_owned(),
            gain,
            bias,
            ..Self::default()
        };
    }

    fn general(&mut self, own: &Element<'_>, findings: &mut Findings) {
        for (name, place) in [
            ("gaintype", &mut self.gain_type),
            ("biastype", &mut self.bias_type),
            ("dyntype", &mut self.dynamics),
        ] {
            if let Some(value) = own.value(name) {
                value.clone_into(place);
            }
        }
        self.gain = own.up_to("gainprm", self.gain, findings);
        if own.get("biasprm").is_some() {
            self.bias = own.up_to("biasprm", self.bias, findings);
            self.damping_ratio = None;
        }
    }

    fn position(&mut self, own: &Element<'_>, findings: &mut Findings) {
        let kp = own.number("kp", self.gain[0], findings);
        if kp < 0.0 {
            own.wrong::<()>("kp", "must not be negative", findings);
        }
        "fixed".clone_into(&mut self.gain_type);
        "affine".clone_into(&mut self.bias_type);
        (self.gain, self.bias[0], self.bias[1]) = ([kp, 0.0, 0.0], 0.0, -kp);
        if own.get("kv").is_some() {
            self.bias[2] = -own.number("kv", 0.0, findings);
            self.damping_ratio = None;
        }
        // Its inertia is known when the model is built.
        let ratio = own.number("dampratio", 0.0, findings);
        if ratio > 0.0 {
            self.damping_ratio = Some(ratio);
        }
        self.constant = own.number("timeconst", self.constant, findings);
    }
}
